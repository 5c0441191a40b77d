import { useState } from 'preact/hooks'
import { readSheet, type Sheet } from '../data/sheet.ts'
import { Button } from './button.tsx'
import { Field, TextArea } from './field.tsx'
import { Actions, Notice } from './form.tsx'

const MAX_BYTES = 20_000_000

/** A file of rows, or rows pasted from a spreadsheet. `placeholder`: rows as they could be. */
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
    const sheet = readSheet(text)
    if (sheet.rows.length === 0) setFault('There is no row in it but, perhaps, a head.')
    else onChoose(sheet)
  }
  const open = async (file: File | undefined) => {
    if (!file) return
    if (file.size > MAX_BYTES) setFault('The file is larger than 20 MB. Cut it into several.')
    else read(await file.text())
  }
  return (
    <div class="form">
      {fault && <Notice kind="wrong">{fault}</Notice>}
      <Field label="A CSV file" name="file" hint={`${hint} Spreadsheets save it as “CSV UTF-8”.`}>
        {(ties) => (
          <input
            {...ties}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            onChange={(event) => void open(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      <TextArea
        label="Or paste rows here"
        name="pasted"
        value={pasted}
        onValue={setPasted}
        placeholder={placeholder}
        rows={5}
        spellcheck={false}
      />
      <Actions>
        <Button kind="primary" disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
          Look at the rows
        </Button>
        {onClose && <Button onClick={onClose}>Cancel</Button>}
      </Actions>
    </div>
  )
}
