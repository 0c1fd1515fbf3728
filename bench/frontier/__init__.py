"""Quality against words, bytes and throughput: Laconic's methods and what one would use instead.

A corpus becomes tasks (`corpora`), families of candidates are measured on them (`ours`, `peers`,
`sentences`), one JSON line each (`journal`); `choosing` looks at validation values only, `judging`
compares what was chosen on the test documents, `page` and `charts` tell it.
"""
