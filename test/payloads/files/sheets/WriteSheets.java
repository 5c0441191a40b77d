import java.io.FileOutputStream;
import java.time.LocalDate;
import java.time.LocalDateTime;
import org.apache.poi.ss.usermodel.*;
import org.apache.poi.xssf.streaming.SXSSFWorkbook;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;

/** Writes the sheet of README.md as Apache POI 5.2.5 does: java -cp 'lib/*' WriteSheets.java */
public class WriteSheets {
  static final String[] HEAD = {"Name", "Handy", "Start", "Tag", "Termin", "Dauer", "Preis", "Anteil", "Nr", "Betrag"};
  static final String[] FORMATS = {"General", "General", "h:mm", "dd.mm.yyyy", "dd.mm.yyyy hh:mm", "[h]:mm", "General", "0%", "0000", "#,##0.00 \"€\""};
  static final Object[][] ROWS = {
    {"Jörg Müller", "+49 151 12345678", 19.5 / 24, LocalDate.of(2026, 11, 30), LocalDateTime.of(2026, 11, 30, 19, 30), 36.0833333333333333 / 24, 19.899999999999999, 0.5, 7.0, 1234.5},
    {"Änne <Test> & \"Söhne\"", 4915112345679.0, 5 / 1440.0, LocalDate.of(2028, 2, 29), LocalDateTime.of(2027, 1, 1, 0, 0), 45 / 1440.0, 0.1 + 0.2, 1.25, 123.0, -0.5},
    {"Ben", 4915112345670.0, null, null, null, null, 1 / 3.0, null, null, null},
  };

  static void write(Workbook book, String file) throws Exception {
    Sheet sheet = book.createSheet("People");
    Row head = sheet.createRow(0);
    for (int at = 0; at < HEAD.length; at++) head.createCell(at).setCellValue(HEAD[at]);
    CellStyle[] styles = new CellStyle[FORMATS.length];
    for (int at = 0; at < FORMATS.length; at++) {
      styles[at] = book.createCellStyle();
      styles[at].setDataFormat(book.createDataFormat().getFormat(FORMATS[at]));
    }
    for (int line = 0; line < ROWS.length; line++) {
      Row row = sheet.createRow(line + 1);
      for (int at = 0; at < HEAD.length; at++) {
        Object value = ROWS[line][at];
        if (value == null) continue;
        Cell cell = row.createCell(at);
        cell.setCellStyle(styles[at]);
        if (value instanceof String text) cell.setCellValue(text);
        if (value instanceof Double number) cell.setCellValue(number);
        if (value instanceof LocalDate day) cell.setCellValue(day);
        if (value instanceof LocalDateTime time) cell.setCellValue(time);
      }
    }
    try (FileOutputStream out = new FileOutputStream(file)) { book.write(out); }
  }

  public static void main(String[] arguments) throws Exception {
    write(new XSSFWorkbook(), "poi.xlsx");
    write(new SXSSFWorkbook(), "poi-stream.xlsx");
  }
}
