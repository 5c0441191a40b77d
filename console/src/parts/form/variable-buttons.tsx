import type { RefObject } from 'preact'
import { uniqueNames } from '../../data/text/placeholders.ts'
import { OF_CONTACTS } from '../../data/text/variables.ts'
import { useFieldNames } from '../../data/use/use-field-names.ts'
import { Button } from './button.tsx'

/** Buttons that put a variable of contacts into a text, where its field has the cursor. */
export function VariableButtons({
  text,
  onText,
  area,
}: {
  text: string
  onText: (text: string) => void
  area: RefObject<HTMLTextAreaElement | null>
}) {
  const names = uniqueNames([...OF_CONTACTS, ...useFieldNames()])
  const insert = (name: string) => {
    const from = area.current?.selectionStart ?? text.length
    onText(`${text.slice(0, from)}{{${name}}}${text.slice(area.current?.selectionEnd ?? from)}`)
    area.current?.focus()
  }
  return (
    <div class="row">
      {names.map((name) => (
        <Button key={name} icon="plus" onClick={() => insert(name)}>
          {`{{${name}}}`}
        </Button>
      ))}
    </div>
  )
}
