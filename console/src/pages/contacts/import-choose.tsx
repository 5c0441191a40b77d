import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { Actions, Notice } from '../../parts/form.tsx'
import { readSheet, type Sheet } from './import-rows.ts'

const MAX_BYTES = 20_000_000

/** The file, or rows pasted from a spreadsheet. */
export function ChooseFile({ onChoose, onClose }: { onChoose: (sheet: Sheet) => void; onClose: () => void }) {
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
      <Field
        label="A CSV file"
        name="file"
        hint="One row a contact, with a column of numbers and one of names. Spreadsheets save it as “CSV UTF-8”."
      >
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
        placeholder={'Anna, +49 151 12345678\nBen, +44 7700 900123'}
        rows={5}
        spellcheck={false}
      />
      <Actions>
        <Button kind="primary" disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
          Look at the rows
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </div>
  )
}
