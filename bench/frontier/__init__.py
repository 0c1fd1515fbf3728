"""Quality against words, bytes and throughput: Laconic's methods and the usual alternatives.

A corpus becomes tasks (`corpora`), families of candidates are measured on them (`ours`, `peers`,
`sentences`), one JSON line per candidate (`journal`); `choosing` uses validation values only,
`judging` compares the choices on the test documents, `page` and `charts` present the result.
"""
