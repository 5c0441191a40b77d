import { useState } from 'preact/hooks'
import { decodeFileText } from '#portable/file-text.ts'
import { isExcel, readExcel } from '../../data/files/excel.ts'
import { readSheet, type Sheet } from '../../data/files/sheet.ts'
import { isVcard, readCards } from '../../data/files/vcard.ts'
import { t } from '../../language/words.ts'
import { Field, TextArea } from './field.tsx'
import { Actions, Button, Notice } from './form.tsx'

const MAX_BYTES = 20_000_000
/** Maximum size of a vCard file, which may contain pictures. */
const MAX_CARD_BYTES = 100_000_000

export function ChooseFile({
  hint,
  placeholder,
  onChoose,
  onClose,
}: {
  hint: string
  placeholder: string
  onChoose: (sheet: Sheet) => void
  onClose?: () => void
}) {
  const [pasted, setPasted] = useState('')
  const [fault, setFault] = useState('')
  const read = (text: string) => {
    try {
      take(isVcard(text) ? readCards(text) : readSheet(text))
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  const take = (sheet: Sheet) => {
    if (sheet.rows.length === 0) setFault(t('The file has no rows, or only titles.'))
    else onChoose(sheet)
  }
  const open = async (bytes: ArrayBuffer) => {
    if (!isExcel(bytes)) return read(decodeFileText(bytes))
    await readExcel(bytes).then(take, (error: Error) => setFault(error.message))
  }
  const choose = async (file: File | undefined) => {
    if (!file) return
    const maxBytes = /\.vcf$/i.test(file.name) ? MAX_CARD_BYTES : MAX_BYTES
    if (file.size > maxBytes)
      setFault(
        t('The file is larger than {size} MB. Cut it into several.', { size: maxBytes / 1e6 }),
      )
    else await open(await file.arrayBuffer())
  }
  return (
    <div class="form">
      {fault && <Notice kind="wrong">{fault}</Notice>}
      <Field
        label={t('An Excel, CSV or vCard file')}
        name="file"
        hint={t(
          '{hint} Excel files are .xlsx; other spreadsheets save as “CSV UTF-8”; phones and address books share contacts as a .vcf file.',
          { hint },
        )}
      >
        {(ties) => (
          <input
            {...ties}
            type="file"
            accept=".xlsx,.xls,.csv,.tsv,.txt,.vcf,text/csv,text/vcard,text/x-vcard"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      <TextArea
        label={t('Or paste rows here')}
        name="pasted"
        value={pasted}
        onValue={setPasted}
        placeholder={placeholder}
        rows={5}
        spellcheck={false}
      />
      <Actions>
        <Button kind="primary" disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
          {t('Check the rows')}
        </Button>
        {onClose && <Button onClick={onClose}>{t('Cancel')}</Button>}
      </Actions>
    </div>
  )
}
