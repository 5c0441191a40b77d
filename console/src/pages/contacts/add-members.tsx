import { useState } from 'preact/hooks'
import type { Fault } from '../../data/fault.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import type { Contact, ContactGroup } from '../../data/record-types.ts'
import { writeContactFilter } from '../../data/search/filters.ts'
import { useDebounced } from '../../data/use/use-debounced.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { showToast } from '../../parts/toast.tsx'
import { changeManyContacts } from './change-many.ts'

const FOUND = 30

/** A dialog that adds contacts to a group. Chosen contacts stay chosen during further searches. */
export function AddMembers({ group, onClose }: { group: ContactGroup; onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<readonly Contact[]>([])
  const asked = useDebounced(text.trim())
  const filter = asked ? writeContactFilter(asked, defaultCountry.value) : ''
  const found = useList<Contact>('contacts', {
    filter,
    sort: 'name,phone',
    perPage: FOUND,
    live: false,
  })
  const [fault, setFault] = useState<Fault>()
  const add = useTask(async () => {
    const { done, fault: failure } = await changeManyContacts(
      chosen,
      { values: { 'groups+': group.id } },
      () => {},
    )
    setFault(failure)
    if (failure) return
    showToast(tn('1 contact added', '{count} contacts added', done.length))
    onClose()
  })
  const others = chosen.filter(({ id }) => !found.items.some((contact) => contact.id === id))
  return (
    <Dialog title={t('Add members to {name}', { name: group.name })} onClose={onClose}>
      <Form onSubmit={() => (chosen.length > 0 ? add.run() : undefined)} fault={fault}>
        <TextField
          label={t('Name or number')}
          name="member"
          type="search"
          value={text}
          onValue={setText}
          autofocus
        />
        <fieldset class="group-choice">
          <legend>{t('Contacts')}</legend>
          {[...others, ...found.items].map((contact) => {
            const isMember = contact.groups.includes(group.id)
            return (
              <CheckField
                key={contact.id}
                name={`member-${contact.id}`}
                value={isMember || chosen.some(({ id }) => id === contact.id)}
                disabled={isMember}
                onValue={(isIn) =>
                  setChosen(
                    isIn ? [...chosen, contact] : chosen.filter(({ id }) => id !== contact.id),
                  )
                }
                label={
                  <>
                    {contact.name} <PhoneNumber number={contact.phone} />
                    {isMember && <span class="muted"> {t('is in the group')}</span>}
                  </>
                }
              />
            )
          })}
          {found.total > FOUND && <p class="muted">{t('There are more: search for them.')}</p>}
          {!found.loading && found.total === 0 && <p class="muted">{t('No contact found.')}</p>}
        </fieldset>
        <FormActions busy={add.busy} disabled={chosen.length === 0} onCancel={onClose}>
          {chosen.length > 0 ? t('Add {count}', { count: chosen.length }) : t('Add')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
