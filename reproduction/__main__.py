from reproduction.command import reproduce

reproduce(prog_name="python -m reproduction")
