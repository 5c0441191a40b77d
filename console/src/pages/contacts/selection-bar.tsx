import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { faultText } from '../../data/fault.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { Contact } from '../../data/records.ts'
import type { Groups } from '../../data/use/use-groups.ts'
import { useTask } from '../../data/use/use-task.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { Progress } from '../../parts/wait.tsx'
import { type Change, type Changed, changeMany } from './change-many.ts'
import { contactsCsv } from './contacts-csv.ts'

const people = (count: number) => (count === 1 ? '1 contact' : `${count.toLocaleString()} contacts`)

/** What can be done with the chosen contacts, and the choice of all that were found. */
export function SelectionBar({
  chosen,
  found,
  filter,
  groups,
  onChoose,
}: {
  chosen: readonly Contact[]
  /** How many the list has in all. */
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
  const change = async (work: Change, told: string) => {
    setFault('')
    setSoFar({ done: 0, failed: 0, fault: undefined })
    const changed = await changeMany(chosen, work, setSoFar)
    setSoFar(undefined)
    if (changed.failed > 0)
      return setFault(
        `${people(changed.failed)} could not be changed: ${changed.fault ? faultText(changed.fault) : ''}`,
      )
    toast(`${people(changed.done)} ${told}`)
    onChoose([])
  }
  const remove = async () => {
    const out = chosen.filter(({ opted_out }) => opted_out).length
    const isNew =
      out > 0 &&
      ` ${out.toLocaleString()} of them opted out: deleted, their numbers count as new, and texts to them would go out again.`
    const text = `${people(chosen.length)} will be deleted; their messages stay.${isNew || ''}`
    if (await confirmed({ title: 'Delete the chosen contacts?', text, action: 'Delete', danger: true }))
      await change({ delete: true }, 'deleted')
  }
  const optIn = async () => {
    const text = 'They get texts again. Do this only when they have asked for it.'
    if (await confirmed({ title: `Opt ${people(chosen.length)} in?`, text, action: 'Opt in' }))
      await change({ values: { opted_out: false } }, 'opted in')
  }
  if (soFar)
    return (
      <Progress
        value={soFar.done + soFar.failed}
        max={chosen.length}
        label={`${(soFar.done + soFar.failed).toLocaleString()} of ${people(chosen.length)}`}
      />
    )
  return (
    <section class="contacts-selection" aria-label="Chosen contacts">
      {(fault || all.fault) && <Notice kind="wrong">{fault || all.fault?.message}</Notice>}
      <div class="row">
        <strong role="status">{`${people(chosen.length)} chosen`}</strong>
        {chosen.length < found && (
          <Button kind="quiet" busy={all.busy} onClick={() => void all.run()}>
            {`Choose all ${found.toLocaleString()}`}
          </Button>
        )}
        <Button kind="quiet" onClick={() => onChoose([])}>
          Choose none
        </Button>
      </div>
      <div class="row">
        {groups.items.length > 0 && (
          <>
            <GroupChoice
              words="Add to a group"
              groups={groups}
              onPick={(id) => void change({ values: { 'groups+': id } }, `added to ${groups.nameOf(id)}`)}
            />
            <GroupChoice
              words="Remove from a group"
              groups={groups}
              onPick={(id) => void change({ values: { 'groups-': id } }, `removed from ${groups.nameOf(id)}`)}
            />
          </>
        )}
        <Button onClick={() => void change({ values: { opted_out: true } }, 'opted out')}>Opt out</Button>
        <Button onClick={() => void optIn()}>Opt in</Button>
        <Button onClick={() => saveFile('contacts.csv', contactsCsv(chosen, groups.nameOf), 'text/csv')}>
          Export as CSV
        </Button>
        <Button kind="danger" icon="trash" onClick={() => void remove()}>
          Delete
        </Button>
      </div>
    </section>
  )
}

/** Does something with a group as soon as it is chosen. */
const GroupChoice = ({
  words,
  groups,
  onPick,
}: {
  words: string
  groups: Groups
  onPick: (id: string) => void
}) => (
  <select aria-label={words} value="" onChange={(event) => onPick(event.currentTarget.value)}>
    <option value="">{`${words}…`}</option>
    {groups.items.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </select>
)
