import { useState } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { describeFault } from '../../data/fault.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { Label } from '../../data/labels.ts'
import type { Contact, ContactField } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import type { Groups } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
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

const formatContactCount = (count: number) => tn('1 contact', '{count} contacts', count)

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
  /** Changes contacts, and returns those that were changed. `told`: words after all were. */
  const change = async (work: Change, told?: (people: string) => string, contacts = chosen) => {
    setFault('')
    setSoFar(NOTHING)
    const { done, failed, fault: first } = await changeManyContacts(contacts, work, setSoFar)
    setSoFar(undefined)
    if (failed > 0)
      setFault(
        t('{people} could not be changed: {why}', {
          people: formatContactCount(failed),
          why: first ? describeFault(first) : '',
        }),
      )
    else {
      if (told) showToast(told(formatContactCount(done.length)))
      onChoose([])
    }
    return done
  }
  const optOut = async () => {
    const people = chosen.filter(({ opted_out }) => !opted_out)
    const text = t(
      'They get no more texts, and waiting texts to them are canceled. You can undo it for a minute, but for these texts.',
    )
    if (
      await askToConfirm({
        title: t('Opt {people} out?', { people: formatContactCount(people.length) }),
        text,
        action: t('Opt out'),
        danger: true,
      })
    ) {
      const out = await change({ values: { opted_out: true } }, undefined, people)
      if (out.length > 0) showOptedOut(out.map(({ phone }) => phone))
    }
  }
  const remove = async () => {
    const out = chosen.filter(({ opted_out }) => opted_out).length
    const stays =
      out > 0
        ? tn(
            '1 of them opted out, and the number stays opted out.',
            '{count} of them opted out, and their numbers stay opted out.',
            out,
          )
        : ''
    const text =
      `${t('{people} will be deleted; their messages stay.', { people: formatContactCount(chosen.length) })} ${stays}`.trim()
    if (
      await askToConfirm({
        title: t('Delete the chosen contacts?'),
        text,
        action: t('Delete'),
        danger: true,
      })
    )
      await change({ delete: true }, (people) => t('{people} deleted', { people }))
  }
  const optIn = async () => {
    const text = t('They get texts again. Do this only when they have asked for it.')
    if (
      await askToConfirm({
        title: t('Opt {people} in?', { people: formatContactCount(chosen.length) }),
        text,
        action: t('Opt in'),
      })
    )
      await change({ values: { opted_out: false } }, (people) => t('{people} opted in', { people }))
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
            onAdd={(id) =>
              void change({ values: { 'groups+': id } }, (people) =>
                t('{people} added to {group}', { people, group: groups.findName(id) }),
              )
            }
            onRemove={(id) =>
              void change({ values: { 'groups-': id } }, (people) =>
                t('{people} removed from {group}', { people, group: groups.findName(id) }),
              )
            }
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
        <Button needs="agent" onClick={() => void optIn()}>
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
        <Options choices={nameChoices(groups.items)} />
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
