import type { ContactField } from '../../data/record-types.ts'
import { rememberSignal } from '../../data/remembered.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { CheckList } from '../../parts/form/choices.tsx'

/** The ids of the fields that the list shows as columns, by the person who chose them in this browser. */
const chosenFields = rememberSignal<Readonly<Record<string, readonly string[]>>>(
  'contact-columns',
  {},
)

const readPerson = () => session.value?.sender ?? ''

/** The fields that the person has chosen as columns of the list, in the order of the fields. */
export function listFieldColumns(fields: readonly ContactField[]): readonly ContactField[] {
  const chosen = chosenFields.value[readPerson()] ?? []
  return fields.filter(({ id }) => chosen.includes(id))
}

/** The fields of contacts, to choose those that are columns. */
export const ChooseColumns = ({ fields }: { fields: readonly ContactField[] }) => (
  <CheckList
    legend={t('Fields of contacts that the list shows, for you in this browser')}
    name="columns"
    choices={fields.map(({ id, name }) => [id, name] as const)}
    chosen={listFieldColumns(fields).map(({ id }) => id)}
    onChosen={(chosen) => {
      chosenFields.value = { ...chosenFields.value, [readPerson()]: chosen }
    }}
  />
)
