import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Fault, faultText } from '../../data/fault.ts'
import { CSV_MARK, csvLines } from '../../data/files/csv.ts'
import { saveFile } from '../../data/files/save-file.ts'
import { contactFilter } from '../../data/phone/contact-filter.ts'
import { defaultCountry } from '../../data/phone/country.ts'
import { type Contact, type ContactGroup, fieldsOf } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import { useLater } from '../../data/use/use-later.ts'
import { type Groups, useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { confirmed, Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Button, Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Progress } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { toast } from '../../parts/toast.tsx'
import { type Change, type Changed, changeMany } from './change-many.ts'

const people = (count: number) => tn('1 contact', '{count} contacts', count)

export function SelectionBar({
  chosen,
  found,
  filter,
  groups,
  onChoose,
}: {
  chosen: readonly Contact[]
  found: number
  filter: string
  groups: Groups
  onChoose: (contacts: readonly Contact[]) => void
}) {
  const [soFar, setSoFar] = useState<Changed>()
  const [fault, setFault] = useState('')
  const all = useTask(async () =>
    onChoose(
      await pb.collection('contacts').getFullList<Contact>({ filter, batch: 500, sort: 'name,phone' }),
    ),
  )
  const change = async (work: Change, told: (people: string) => string) => {
    setFault('')
    setSoFar({ done: 0, failed: 0, fault: undefined })
    const changed = await changeMany(chosen, work, setSoFar)
    setSoFar(undefined)
    if (changed.failed > 0)
      return setFault(
        t('{people} could not be changed: {why}', {
          people: people(changed.failed),
          why: changed.fault ? faultText(changed.fault) : '',
        }),
      )
    toast(told(people(changed.done)))
    onChoose([])
  }
  const remove = async () => {
    const out = chosen.filter(({ opted_out }) => opted_out).length
    const isNew =
      out > 0
        ? tn(
            '1 of them opted out: deleted, the number counts as new, and texts to it would go out again.',
            '{count} of them opted out: deleted, their numbers count as new, and texts to them would go out again.',
            out,
          )
        : ''
    const text =
      `${t('{people} will be deleted; their messages stay.', { people: people(chosen.length) })} ${isNew}`.trim()
    if (await confirmed({ title: t('Delete the chosen contacts?'), text, action: t('Delete'), danger: true }))
      await change({ delete: true }, (people) => t('{people} deleted', { people }))
  }
  const optIn = async () => {
    const text = t('They get texts again. Do this only when they have asked for it.')
    if (
      await confirmed({
        title: t('Opt {people} in?', { people: people(chosen.length) }),
        text,
        action: t('Opt in'),
      })
    )
      await change({ values: { opted_out: false } }, (people) => t('{people} opted in', { people }))
  }
  if (soFar)
    return (
      <Progress
        value={soFar.done + soFar.failed}
        max={chosen.length}
        label={t('{count} of {total} contacts', { count: soFar.done + soFar.failed, total: chosen.length })}
      />
    )
  return (
    <section class="contacts-selection" aria-label={t('Chosen contacts')}>
      {(fault || all.fault) && <Notice kind="wrong">{fault || all.fault?.message}</Notice>}
      <div class="row">
        <strong role="status">{t('{people} chosen', { people: people(chosen.length) })}</strong>
        {chosen.length < found && (
          <Button kind="quiet" busy={all.busy} onClick={() => void all.run()}>
            {t('Choose all {count}', { count: found })}
          </Button>
        )}
        <Button kind="quiet" onClick={() => onChoose([])}>
          {t('Choose none')}
        </Button>
      </div>
      <div class="row">
        {groups.items.length > 0 && may('agent') && (
          <GroupChoice
            groups={groups}
            onAdd={(id) =>
              void change({ values: { 'groups+': id } }, (people) =>
                t('{people} added to {group}', { people, group: groups.nameOf(id) }),
              )
            }
            onRemove={(id) =>
              void change({ values: { 'groups-': id } }, (people) =>
                t('{people} removed from {group}', { people, group: groups.nameOf(id) }),
              )
            }
          />
        )}
        <Button
          needs="agent"
          onClick={() =>
            void change({ values: { opted_out: true } }, (people) => t('{people} opted out', { people }))
          }
        >
          {t('Opt out')}
        </Button>
        <Button needs="agent" onClick={() => void optIn()}>
          {t('Opt in')}
        </Button>
        <Button onClick={() => saveFile('contacts.csv', contactsCsv(chosen, groups.nameOf), 'text/csv')}>
          {t('Export as CSV')}
        </Button>
        <Button kind="danger" icon="trash" needs="agent" onClick={() => void remove()}>
          {t('Delete')}
        </Button>
      </div>
    </section>
  )
}

function GroupChoice({
  groups,
  onAdd,
  onRemove,
}: {
  groups: Groups
  onAdd: (id: string) => void
  onRemove: (id: string) => void
}) {
  const [id, setId] = useState('')
  return (
    <>
      <select
        aria-label={t('Group of the chosen')}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      >
        <option value="">{t('Choose a group')}</option>
        {groups.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Button disabled={id === ''} onClick={() => onAdd(id)}>
        {t('Add to the group')}
      </Button>
      <Button disabled={id === ''} onClick={() => onRemove(id)}>
        {t('Remove from the group')}
      </Button>
    </>
  )
}

const FOUND = 30

/** A dialog that adds contacts to a group. Chosen contacts stay chosen during further searches. */
export function AddMembers({ group, onClose }: { group: ContactGroup; onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<readonly Contact[]>([])
  const asked = useLater(text.trim())
  const filter = asked ? contactFilter(asked, defaultCountry.value) : ''
  const found = useList<Contact>('contacts', { filter, sort: 'name,phone', perPage: FOUND, live: false })
  const [fault, setFault] = useState<Fault>()
  const add = useTask(async () => {
    const { done, fault: failure } = await changeMany(chosen, { values: { 'groups+': group.id } }, () => {})
    setFault(failure)
    if (failure) return
    toast(tn('1 contact added', '{count} contacts added', done))
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
                  setChosen(isIn ? [...chosen, contact] : chosen.filter(({ id }) => id !== contact.id))
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
          {!found.loading && found.total === 0 && <p class="muted">{t('Nobody found.')}</p>}
        </fieldset>
        <FormActions busy={add.busy} disabled={chosen.length === 0} onCancel={onClose}>
          {chosen.length > 0 ? t('Add {count}', { count: chosen.length }) : t('Add')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

/** A text that a spreadsheet would read as a formula. Phone numbers like +49 151 do not match. */
const FORMULA = /^[=@\t\r]|^[+-](?!\d[\d\s]*$)/

const safe = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** Contacts as CSV, with a column for each of their own fields. The console can import it again. */
function contactsCsv(contacts: readonly Contact[], nameOfGroup: (id: string) => string): string {
  const titles = [...new Set(contacts.flatMap((contact) => fieldsOf(contact).map(([title]) => title)))]
  const data = contacts.map((contact) => {
    const fields = new Map(fieldsOf(contact))
    const groups = contact.groups.map(nameOfGroup).filter(Boolean).join(', ')
    const own = titles.map((title) => fields.get(title) ?? '')
    return [contact.name, contact.phone, groups, contact.opted_out ? 'yes' : 'no', ...own].map(safe)
  })
  const head = ['Name', 'Number', 'Groups', 'Opted out', ...titles].map(safe)
  return CSV_MARK + csvLines([head, ...data])
}
