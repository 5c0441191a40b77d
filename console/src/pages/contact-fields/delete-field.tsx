import { pb } from '../../data/client.ts'
import type { ContactField } from '../../data/record-types.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { showToastFault } from '../../parts/toast.tsx'

interface Named {
  readonly id: string
  readonly name: string
}

/** The server's answer about a field: what a deletion loses. */
interface FieldUses {
  readonly contacts: number
  readonly templates: readonly Named[]
  readonly campaigns: readonly Named[]
  readonly answers: readonly Named[]
}

/** The server counts up to this number, which means as many or more. */
const MOST_COUNTED = 10_000

/** Says what a deletion of the field loses, and deletes it if the person confirms. */
export async function askToDelete(field: ContactField): Promise<void> {
  let uses: FieldUses
  try {
    uses = await pb.send<FieldUses>(`/api/contacts/fields/${field.id}/uses`, {})
  } catch (error) {
    return showToastFault(error)
  }
  const texts = [...uses.templates, ...uses.campaigns, ...uses.answers].map(({ name }) => name)
  await deleteRecord(
    field,
    {
      title: t('Delete the field {name}?', field),
      text: (
        <>
          <p>{describeLoss(uses.contacts)}</p>
          {texts.length > 0 && (
            <p>
              {t('These texts use it, and need another word or a default in its place: {texts}.', {
                texts: texts.join(', '),
              })}
            </p>
          )}
        </>
      ),
    },
    t('Field deleted'),
  )
}

function describeLoss(contacts: number): string {
  if (contacts === 0) return t('No contact has a value.')
  if (contacts >= MOST_COUNTED)
    return t('{count} contacts or more lose their value for good.', {
      count: formatNumber(contacts),
    })
  return tn(
    '1 contact loses its value for good.',
    '{count} contacts lose their value for good.',
    contacts,
  )
}
