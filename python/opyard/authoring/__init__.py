"""Hardware profiles from answers (`opyard profile new`) and from files of other tools (`import`).

Both make a `MachineDraft`, which machine_files.py writes as a commented machine file.
"""
