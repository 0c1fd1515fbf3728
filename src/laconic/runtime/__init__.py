"""Reading a model file and raw text in order to predict, with numpy and PyStemmer only.

numba is used if it is installed; without it, the answers are the same.

    from laconic.runtime.model_file import load
    load("tickets.laconic").predict(["the printer is on fire"])
"""
