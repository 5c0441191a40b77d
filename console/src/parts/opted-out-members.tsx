import { pb } from '../data/client.ts'
import { nameContact } from '../data/name-contact.ts'
import type { Contact } from '../data/record-types.ts'
import { useList } from '../data/use/use-list.ts'
import { tn } from '../language/words.ts'

const SHOWN = 20

/** The members of groups who have opted out, by name: a text to the groups leaves them out. */
export function OptedOutMembers({ groups }: { groups: readonly string[] }) {
  const inGroups = groups.map((group) => pb.filter('groups.id ?= {:group}', { group }))
  const { items, total } = useList<Contact>('contacts', {
    filter: `opted_out = true && (${inGroups.join(' || ')})`,
    sort: 'name',
    perPage: SHOWN,
    ready: groups.length > 0,
  })
  if (items.length === 0) return null
  const names = items.slice(0, SHOWN).map(nameContact)
  return (
    <p class="muted">
      {tn(
        '1 member opted out and gets nothing: {names}',
        '{count} members opted out and get nothing: {names}',
        total,
        { names: [...names, ...(total > SHOWN ? ['…'] : [])].join(', ') },
      )}
    </p>
  )
}
