import type { Contact } from '../../data/record-types.ts'
import { useDebounced } from '../../data/use/use-debounced.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { More } from '../../parts/form/more.tsx'

/** A filter of contacts, who get a campaign beside its groups and numbers, with how many it names now. */
export function AudienceFilter({
  value,
  error,
  onValue,
}: {
  value: string
  error: string | undefined
  onValue: (filter: string) => void
}) {
  const asked = useDebounced(value.trim())
  const { total, loading, fault } = useList<Contact>('contacts', {
    filter: `(${asked}) && opted_out = false`,
    fields: 'id',
    perPage: 1,
    ready: asked !== '',
  })
  const isCounted = asked !== '' && !loading && !fault
  return (
    <More summary={t('Contacts that match a filter')} isWrong={value !== ''}>
      <TextField
        label={t('Filter')}
        name="filter"
        value={value}
        onValue={onValue}
        error={error ?? (asked && fault?.message)}
        hint={
          isCounted
            ? tn('1 contact', '{count} contacts', total)
            : t('In the language of PocketBase, such as {example}', {
                example: 'data.city = "Berlin"',
              })
        }
      />
    </More>
  )
}
