import { readSheet } from '../../console/src/data/files/sheet.ts'
import { isVcard, readCards } from '../../console/src/data/files/vcard.ts'
import { planImport } from '../../console/src/pages/contacts/import-plan.ts'
import { decodeFileText } from '../../src/portable/file-text.ts'
import { guessColumns } from '../../src/portable/phone/guess-columns.ts'
import { runPayloads } from './run-payloads.ts'

/** A file of contacts. `lines` are joined by CRLF, or by `end`. */
interface ImportFile {
  readonly lines: readonly string[]
  readonly end?: string
  readonly encoding?: BufferEncoding
  /** Country of numbers without a calling code. */
  readonly country?: string
}

/** The contacts as `name: number`, and the reasons of the rows that are left out. */
interface Import {
  readonly contacts: readonly string[]
  readonly left?: readonly string[]
}

runPayloads<ImportFile, Import>(
  'imports',
  ['csv', 'vcard'],
  (_, { lines, end, encoding, country = 'DE' }) => {
    const text = decodeFileText(Buffer.from(lines.join(end ?? '\r\n'), encoding ?? 'utf8'))
    const sheet = isVcard(text) ? readCards(text) : readSheet(text)
    const { good, bad } = planImport(
      sheet,
      guessColumns(sheet.head, sheet.rows, country),
      country,
      [],
    )
    return {
      contacts: good.map(({ name, phone }) => `${name}: ${phone}`),
      left: bad.map(({ why }) => why),
    }
  },
)
