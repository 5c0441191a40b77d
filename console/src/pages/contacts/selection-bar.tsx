import { useState } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { describeFault, type Fault } from '../../data/fault.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { Label } from '../../data/labels.ts'
import { UNDO_MS } from '../../data/opt-out/opt-out.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import type { Groups } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { askToConfirm, type Question } from '../../parts/dialog/dialog.tsx'
import { Options } from '../../parts/form/field.tsx'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { LabelMenu } from '../../parts/labels/label-chooser.tsx'
import { showOptedOut } from '../../parts/opted-out-toast.ts'
import { Progress } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { makePageHref } from '../../router.ts'
import { type Change, type Changed, changeManyContacts, NOTHING } from './change-many.ts'
import { writeContactsCsv } from './contacts-csv.ts'
import { readContacts } from './export-contacts.tsx'

/** The most numbers of a plain send. More people get a text as a group. */
const MAX_RECIPIENTS = 1_000
/** The most contacts that get a label at once: each is a request. */
const MAX_LABELLED = 500

interface After {
  readonly told?: (people: string) => string
  readonly undo?: Change
  readonly contacts?: readonly Contact[]
}

const formatContactCount = (count: number) => tn('1 contact', '{count} contacts', count)

const describeFailed = (failed: number, fault: Fault | undefined) =>
  t('{people} could not be changed: {why}', {
    people: formatContactCount(failed),
    why: fault ? describeFault(fault) : '',
  })

async function undoChange(contacts: readonly Contact[], undo: Change): Promise<void> {
  const { failed, fault } = await changeManyContacts(contacts, undo)
  showToast(failed > 0 ? describeFailed(failed, fault) : t('Undone'))
}

export function SelectionBar({
  chosen,
  found,
  filter,
  sort,
  groups,
  labels,
  fields,
  onChoose,
}: {
  chosen: readonly Contact[]
  found: number
  filter: string
  sort: string
  groups: Groups
  labels: readonly Label[]
  fields: readonly ContactField[]
  onChoose: (contacts: readonly Contact[]) => void
}) {
  const [soFar, setSoFar] = useState<Changed>()
  const [fault, setFault] = useState('')
  const all = useTask(async () => onChoose(await readContacts(filter, sort)))
  /**
   * Asks with the number of contacts, changes them, and returns those that were changed. `told`: words after
   * all were. `undo`: what takes the change back.
   */
  const change = async (
    question: Question,
    work: Change,
    { told, undo, contacts = chosen }: After,
  ): Promise<readonly Contact[]> => {
    if (!(await askToConfirm(question))) return []
    setFault('')
    setSoFar(NOTHING)
    const { done, failed, fault: first } = await changeManyContacts(contacts, work, setSoFar)
    setSoFar(undefined)
    if (failed > 0) setFault(describeFailed(failed, first))
    else {
      if (told)
        showToast(
          told(formatContactCount(done.length)),
          undo && (() => void undoChange(done, undo)),
          undefined,
          UNDO_MS,
        )
      onChoose([])
    }
    return done
  }
  const optOut = async () => {
    const contacts = chosen.filter(({ opted_out }) => !opted_out)
    const out = await change(
      {
        title: t('Opt {people} out?', { people: formatContactCount(contacts.length) }),
        text: t(
          'They get no more texts, and waiting texts to them are canceled. You can undo it for a minute; canceled texts stay canceled.',
        ),
        action: t('Opt out'),
        danger: true,
      },
      { values: { opted_out: true } },
      { contacts },
    )
    if (out.length > 0) showOptedOut(out.map(({ phone }) => phone))
  }
  const remove = () => {
    const out = chosen.filter(({ opted_out }) => opted_out).length
    const stays =
      out > 0
        ? tn(
            '1 of them opted out, and the number stays opted out.',
            '{count} of them opted out, and their numbers stay opted out.',
            out,
          )
        : ''
    const text = `${t('Their messages stay. You can undo it for a minute.')} ${stays}`.trim()
    return change(
      {
        title: t('Delete {people}?', { people: formatContactCount(chosen.length) }),
        text,
        action: t('Delete'),
        danger: true,
      },
      { delete: true },
      { told: (people) => t('{people} deleted', { people }), undo: { restore: true } },
    )
  }
  const optIn = () => {
    const contacts = chosen.filter(({ opted_out }) => opted_out)
    return change(
      {
        title: t('Opt {people} in?', { people: formatContactCount(contacts.length) }),
        text: t('They get texts again. Do this only when they have asked for it.'),
        action: t('Opt in'),
      },
      { values: { opted_out: false } },
      {
        contacts,
        told: (people) => t('{people} opted in', { people }),
        undo: { values: { opted_out: true } },
      },
    )
  }
  const setGroup = (id: string, isMember: boolean) => {
    const group = groups.findName(id)
    const contacts = chosen.filter((one) => one.groups.includes(id) !== isMember)
    const people = formatContactCount(contacts.length)
    const [add, remove] = [{ values: { 'groups+': id } }, { values: { 'groups-': id } }]
    return isMember
      ? change(
          {
            title: t('Add {people} to {group}?', { people, group }),
            text: t('Texts to the group then go to them, too. You can undo it for a minute.'),
            action: t('Add to the group'),
          },
          add,
          {
            contacts,
            told: (people) => t('{people} added to {group}', { people, group }),
            undo: remove,
          },
        )
      : change(
          {
            title: t('Remove {people} from {group}?', { people, group }),
            text: t('They stay in your contacts. You can undo it for a minute.'),
            action: t('Remove from the group'),
          },
          remove,
          {
            contacts,
            told: (people) => t('{people} removed from {group}', { people, group }),
            undo: add,
          },
        )
  }
  if (soFar)
    return (
      <div class="contacts-selection">
        <Progress
          value={soFar.done.length + soFar.failed}
          max={chosen.length}
          label={t('{count} of {total} contacts', {
            count: soFar.done.length + soFar.failed,
            total: chosen.length,
          })}
        />
      </div>
    )
  return (
    <section class="contacts-selection" aria-label={t('Chosen contacts')}>
      {(fault || all.fault) && <Notice kind="wrong">{fault || all.fault?.message}</Notice>}
      <div class="row">
        <strong role="status">
          {t('{people} chosen', { people: formatContactCount(chosen.length) })}
        </strong>
        {chosen.length < found && (
          <Button kind="quiet" task={all}>
            {t('Choose all {count}', { count: found })}
          </Button>
        )}
        <Button kind="quiet" onClick={() => onChoose([])}>
          {t('Choose none')}
        </Button>
      </div>
      <div class="row">
        {groups.items.length > 0 && hasTeamRole('agent') && (
          <GroupChoice
            groups={groups}
            chosen={chosen}
            onAdd={(id) => void setGroup(id, true)}
            onRemove={(id) => void setGroup(id, false)}
          />
        )}
        {chosen.length <= MAX_LABELLED && hasTeamRole('agent') && (
          <LabelMenu records={chosen} labels={labels} />
        )}
        {chosen.length <= MAX_RECIPIENTS && (
          <ButtonLink
            icon="send"
            needs="agent"
            href={makePageHref('/send', { to: chosen.map(({ phone }) => phone).join(',') })}
          >
            {t('Send to the chosen')}
          </ButtonLink>
        )}
        <Button
          needs="agent"
          disabled={chosen.every(({ opted_out }) => opted_out)}
          onClick={() => void optOut()}
        >
          {t('Opt out')}
        </Button>
        <Button
          needs="agent"
          disabled={!chosen.some(({ opted_out }) => opted_out)}
          onClick={() => void optIn()}
        >
          {t('Opt in')}
        </Button>
        <Button
          onClick={() =>
            saveFile('contacts.csv', writeContactsCsv(chosen, groups.findName, fields))
          }
        >
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
  chosen,
  onAdd,
  onRemove,
}: {
  groups: Groups
  chosen: readonly Contact[]
  onAdd: (id: string) => void
  onRemove: (id: string) => void
}) {
  const [id, setId] = useState('')
  const members = chosen.filter((one) => one.groups.includes(id)).length
  return (
    <>
      <select
        aria-label={t('Group of the chosen')}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      >
        <option value="">{t('Choose a group')}</option>
        <Options choices={nameChoices(groups.items)} />
      </select>
      <Button disabled={id === '' || members === chosen.length} onClick={() => onAdd(id)}>
        {t('Add to the group')}
      </Button>
      <Button disabled={members === 0} onClick={() => onRemove(id)}>
        {t('Remove from the group')}
      </Button>
    </>
  )
}
