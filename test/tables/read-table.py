"""Reads a table with nothing of ours: Python's own csv, zipfile and XML parser, or openpyxl. Prints JSON."""

import csv
import datetime
import json
import re
import sys
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def read_csv(path, delimiter):
    csv.field_size_limit(sys.maxsize)
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter, strict=True))


def text_of(element):
    """Text as ST_Xstring; like Excel, without the white space around it unless that is marked."""
    text = element.text or ""
    if element.get(SPACE) != "preserve":
        text = text.strip(" \t\n")
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match.group(1), 16)), text)


def read_xlsx(path):
    file = zipfile.ZipFile(path)
    assert file.testzip() is None

    def xml(name):
        return ElementTree.fromstring(file.read(name))

    styles = xml("xl/styles.xml")
    formats = {int(it.get("numFmtId")): it.get("formatCode") for it in styles.iter(MAIN + "numFmt")}
    formats |= {0: "General", 1: "0", 4: "#,##0.00", 49: "@"}
    fonts = [font.find(MAIN + "b") is not None for font in styles.find(MAIN + "fonts")]
    looks = [
        {"format": formats[int(it.get("numFmtId"))], "bold": fonts[int(it.get("fontId"))]}
        for it in styles.find(MAIN + "cellXfs")
    ]
    core = xml("docProps/core.xml")
    return {
        "parts": file.namelist(),
        "people": [it.text for it in core if it.tag.endswith("}creator") or it.tag.endswith("}lastModifiedBy")],
        "sheets": [
            {"name": it.get("name"), **sheet_of(xml(f"xl/worksheets/sheet{at + 1}.xml"), looks)}
            for at, it in enumerate(xml("xl/workbook.xml").iter(MAIN + "sheet"))
        ],
    }


def sheet_of(sheet, looks):
    pane = next(sheet.iter(MAIN + "pane"))
    return {
        "frozen_rows": pane.get("ySplit") if pane.get("state") == "frozen" else None,
        "filter": sheet.find(MAIN + "autoFilter").get("ref"),
        "widths": [
            float(it.get("width"))
            for it in sheet.iter(MAIN + "col")
            for _ in range(int(it.get("min")), int(it.get("max")) + 1)
        ],
        "tags": sorted({it.tag.removeprefix(MAIN) for it in sheet.iter()}),
        "rows": {row.get("r"): {cell.get("r"): cell_of(cell, looks) for cell in row} for row in sheet.iter(MAIN + "row")},
    }


def cell_of(cell, looks):
    look = looks[int(cell.get("s", 0))]
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return {"type": "text", "value": "".join(text_of(it) for it in cell.iter(MAIN + "t")), **look}
    value = cell.find(MAIN + "v")
    if kind == "str":
        return {"type": "text", "value": text_of(value), **look}
    if kind == "b":
        return {"type": "boolean", "value": value.text == "1", **look}
    assert kind == "n", kind
    number = float(value.text)
    if "yyyy" in look["format"]:
        moment = datetime.datetime(1899, 12, 30) + datetime.timedelta(seconds=round(number * 86400))
        return {"type": "date", "value": moment.isoformat(), **look}
    return {"type": "number", "value": number, **look}


def read_openpyxl(path):
    import openpyxl

    with open(path, "rb") as file:
        sheet = openpyxl.load_workbook(file).active
    plain = lambda value: value.isoformat() if isinstance(value, datetime.datetime) else value
    return [[plain(value) for value in row] for row in sheet.iter_rows(values_only=True)]


readers = {"csv": read_csv, "xlsx": read_xlsx, "openpyxl": read_openpyxl}
print(json.dumps(readers[sys.argv[1]](*sys.argv[2:]), default=str))
