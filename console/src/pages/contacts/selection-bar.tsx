import { useState } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { describeFault, type Fault } from '../../data/fault.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { Label } from '../../data/labels.ts'
import { UNDO_MS } from '../../data/opt-out/opt-out.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { isPhone } from '../../data/use/media-queries.ts'
import type { Groups } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { askToConfirm, type Question } from '../../parts/dialog/dialog.tsx'
import { Options } from '../../parts/form/field.tsx'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { LabelMenu } from '../../parts/labels/label-chooser.tsx'
import { ActionsMenu } from '../../parts/list/actions-column.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { showOptedOut } from '../../parts/opted-out-toast.ts'
import { Progress } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { makePageHref } from '../../router.ts'
import { type Change, type Changed, changeManyContacts, NOTHING } from './change-many.ts'
import { writeContactsCsv } from './contacts-csv.ts'

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
  readAll,
  groups,
  labels,
  fields,
  onChoose,
}: {
  chosen: readonly Contact[]
  found: number
  readAll: () => Promise<readonly Contact[]>
  groups: Groups
  labels: readonly Label[]
  fields: readonly ContactField[]
  onChoose: (contacts: readonly Contact[]) => void
}) {
  const [soFar, setSoFar] = useState<Changed>()
  const [fault, setFault] = useState('')
  const all = useTask(async () => onChoose(await readAll()))
  const out = chosen.filter(({ opted_out }) => opted_out)
  const others = chosen.filter(({ opted_out }) => !opted_out)
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
    const done = await change(
      {
        title: t('Opt {people} out?', { people: formatContactCount(others.length) }),
        text: t(
          'They get no more texts, and waiting texts to them are canceled. You can undo it for a minute; canceled texts stay canceled.',
        ),
        action: t('Opt out'),
        danger: true,
      },
      { values: { opted_out: true } },
      { contacts: others },
    )
    if (done.length > 0) showOptedOut(done.map(({ phone }) => phone))
  }
  const remove = () => {
    const stays =
      out.length > 0
        ? tn(
            '1 of them opted out, and the number stays opted out.',
            '{count} of them opted out, and their numbers stay opted out.',
            out.length,
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
  const optIn = () =>
    change(
      {
        title: t('Opt {people} in?', { people: formatContactCount(out.length) }),
        text: t('They get texts again. Do this only when they have asked for it.'),
        action: t('Opt in'),
      },
      { values: { opted_out: false } },
      {
        contacts: out,
        told: (people) => t('{people} opted in', { people }),
        undo: { values: { opted_out: true } },
      },
    )
  const setGroup = (id: string, isMember: boolean) => {
    const group = groups.findName(id)
    const contacts = chosen.filter((one) => one.groups.includes(id) !== isMember)
    const people = formatContactCount(contacts.length)
    const set = (sign: string) => ({ values: { [`groups${sign}`]: id } })
    const question = isMember
      ? {
          title: t('Add {people} to {group}?', { people, group }),
          text: t('Texts to the group then go to them, too. You can undo it for a minute.'),
          action: t('Add to the group'),
        }
      : {
          title: t('Remove {people} from {group}?', { people, group }),
          text: t('They stay in your contacts. You can undo it for a minute.'),
          action: t('Remove from the group'),
        }
    const told = (people: string) =>
      isMember
        ? t('{people} added to {group}', { people, group })
        : t('{people} removed from {group}', { people, group })
    const undo = set(isMember ? '-' : '+')
    return change(question, set(isMember ? '+' : '-'), { contacts, told, undo })
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
  const showChoices = (close = () => {}) => (
    <>
      {chosen.length < found && (
        <Button
          kind="quiet"
          task={all}
          onClick={() => {
            close()
            void all.run()
          }}
        >
          {t('Choose all {count}', { count: found })}
        </Button>
      )}
      {groups.items.length > 0 && hasTeamRole('agent') && (
        <Menu words={t('Groups')} icon="groups">
          {() => <GroupChoice groups={groups} chosen={chosen} onSet={setGroup} />}
        </Menu>
      )}
      {chosen.length <= MAX_LABELLED && hasTeamRole('agent') && (
        <LabelMenu records={chosen} labels={labels} />
      )}
    </>
  )
  return (
    <section class="contacts-selection" aria-label={t('Chosen contacts')}>
      {(fault || all.fault) && <Notice kind="wrong">{fault || all.fault?.message}</Notice>}
      <div class="row">
        <strong role="status">
          {t('{people} chosen', { people: formatContactCount(chosen.length) })}
        </strong>
        {!isPhone.value && showChoices()}
        {chosen.length <= MAX_RECIPIENTS && (
          <ButtonLink
            icon="send"
            needs="agent"
            href={makePageHref('/send', { to: chosen.map(({ phone }) => phone).join(',') })}
          >
            {t('Send to the chosen')}
          </ButtonLink>
        )}
        <ActionsMenu
          actions={[
            { words: t('Choose none'), onClick: () => onChoose([]) },
            { words: t('Opt out'), needs: 'agent', disabled: others.length === 0, onClick: optOut },
            { words: t('Opt in'), needs: 'agent', disabled: out.length === 0, onClick: optIn },
            {
              words: t('Export as CSV'),
              onClick: () =>
                saveFile('contacts.csv', writeContactsCsv(chosen, groups.findName, fields)),
            },
            { words: t('Delete'), icon: 'trash', kind: 'danger', needs: 'agent', onClick: remove },
          ]}
        >
          {isPhone.value ? showChoices : undefined}
        </ActionsMenu>
      </div>
    </section>
  )
}

function GroupChoice({
  groups,
  chosen,
  onSet,
}: {
  groups: Groups
  chosen: readonly Contact[]
  onSet: (id: string, isMember: boolean) => unknown
}) {
  const [id, setId] = useState('')
  const members = chosen.filter((one) => one.groups.includes(id)).length
  return (
    <div class="contacts-view">
      <select
        aria-label={t('Group of the chosen')}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      >
        <option value="">{t('Choose a group')}</option>
        <Options choices={nameChoices(groups.items)} />
      </select>
      <Button disabled={id === '' || members === chosen.length} onClick={() => onSet(id, true)}>
        {t('Add to the group')}
      </Button>
      <Button disabled={members === 0} onClick={() => onSet(id, false)}>
        {t('Remove from the group')}
      </Button>
    </div>
  )
}
