"""Writes the sheet of README.md as openpyxl 3.1.5 and XlsxWriter 3.2 write it: python3 write-sheets.py

XlsxWriter writes the same parts as Excel: its own tests compare them with files of Excel, byte by byte.
"""

from datetime import date, datetime, time, timedelta

import openpyxl
import xlsxwriter

HEAD = ["Name", "Handy", "Start", "Tag", "Termin", "Dauer", "Preis", "Anteil", "Nr", "Betrag"]
FORMATS = ["General", "0", "h:mm", "dd.mm.yyyy", "dd.mm.yyyy hh:mm", "[h]:mm", "General", "0%", "0000", '#,##0.00 "€"']
ROWS = [
    ["Jörg Müller", "+49 151 12345678", time(19, 30), date(2026, 11, 30), datetime(2026, 11, 30, 19, 30),
     timedelta(hours=36, minutes=5), 19.899999999999999, 0.5, 7, 1234.5],
    ["Änne <Test> & \"Söhne\"", 4915112345679, time(0, 5), date(2028, 2, 29), datetime(2027, 1, 1, 0, 0),
     timedelta(minutes=45), 0.1 + 0.2, 1.25, 123, -0.5],
]


def write_openpyxl(file):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(HEAD)
    for row in ROWS:
        sheet.append(row)
        for cell, code in zip(sheet[sheet.max_row], FORMATS):
            cell.number_format = code
    book.save(file)


def write_xlsxwriter(file, **options):
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, HEAD)
        formats = [book.add_format({"num_format": code}) for code in FORMATS]
        for line, row in enumerate(ROWS, 1):
            for column, (value, shown) in enumerate(zip(row, formats)):
                sheet.write(line, column, value, shown)
        bold = book.add_format({"bold": True})
        # a text in runs of two styles
        sheet.write_rich_string(3, 0, "Ben ", bold, "Bold", " Smith")
        sheet.write_number(3, 1, 15112345670, book.add_format({"num_format": 14}))
        # Excel's built-in formats by their ids: 14 to 22 and 45 to 47
        for column, number in enumerate([14, 15, 17, 18, 20, 22, 45, 46], 2):
            sheet.write_number(3, column, 46356.8125, book.add_format({"num_format": number}))


write_openpyxl("openpyxl.xlsx")
write_xlsxwriter("excel.xlsx")
write_xlsxwriter("excel-1904.xlsx", date_1904=True)
write_xlsxwriter("excel-inline.xlsx", constant_memory=True)
