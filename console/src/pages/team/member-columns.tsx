import { useEffect, useState } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import { own, pb } from '../../data/client.ts'
import type { MemberRole, Notify } from '../../data/record-types.ts'
import { hasTeamRole, type Session, stopActing } from '../../data/session.ts'
import { savePersonalChoices } from '../../data/team/personal-choices.ts'
import { ROLE_WORDS } from '../../data/team/team.ts'
import { t } from '../../language/words.ts'
import { deleteRecord, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Options } from '../../parts/form/field.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'

/** The owner or a member of a team. `id`: the id of this person's record in `senders`. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly role: MemberRole | 'owner'
  readonly notify: Notify
  readonly since: string
  readonly addresses: string
  /** Whether a directory gave the role: it would undo what people change here. */
  readonly isByDirectory: boolean
  /** Whether a directory added the member that is gone, and nobody has kept the member yet. */
  readonly isFormer: boolean
}

const GRANTED = [
  ['admin', ROLE_WORDS.admin],
  ['agent', ROLE_WORDS.agent],
  ['viewer', ROLE_WORDS.viewer],
] as const

const NOTIFY = [
  ['all', t('All texts')],
  ['mine', t('Mine and unassigned')],
  ['none', t('None#texts')],
] as const

/** The columns of the team for the signed-in person. `bind`: opens the addresses of a member. */
export const makeMemberColumns = (
  mine: Session,
  bind: (id: string) => void,
): readonly Column<Person>[] => [
  {
    title: t('Name'),
    cell: ({ id, name, addresses, isFormer }) => (
      <>
        <span class="row">
          <span class="cut">{name}</span>{' '}
          {id === mine.sender && <Badge tone="calm">{t('You')}</Badge>}
          {isFormer && <Badge tone="warn">{t('By a former directory')}</Badge>}
        </span>
        {addresses && (
          <span class="muted breaks">
            {t('Only from {addresses}', { addresses: addresses.split(',').join(', ') })}
          </span>
        )}
      </>
    ),
  },
  {
    title: t('Role'),
    cell: (person) => <RoleField person={person} isOwn={person.id === mine.sender} />,
  },
  {
    title: t('Notified of'),
    cell: (person) =>
      person.id === mine.sender ? (
        <Choice
          label={t('What you are notified of')}
          choices={NOTIFY}
          value={person.notify || 'all'}
          save={(notify) => savePersonalChoices(mine, { notify })}
        />
      ) : (
        new Map<Notify, string>(NOTIFY).get(person.notify || 'all')
      ),
  },
  {
    title: t('Since'),
    minor: true,
    spare: ({ since }) => !since,
    cell: ({ since }) => <Time at={since} />,
  },
  makeActionsColumn((person) => {
    const { id, name, role, isByDirectory, isFormer } = person
    if (role === 'owner') return []
    const look = { iconOnly: false } as const
    const leave = { ...look, icon: 'leave', words: t('Leave the team') } as const
    if (id === mine.sender)
      return isByDirectory ? [] : [{ ...leave, onClick: () => leaveTeam(person) }]
    const bindTo = { icon: 'edit', words: t('Addresses of {name}', { name }) } as const
    const remove = { ...look, icon: 'trash', words: t('Remove {name}#member', { name }) } as const
    const keep = { ...look, icon: 'check', words: t('Keep {name}', { name }) } as const
    return [
      ...(isFormer
        ? [{ ...keep, needs: 'admin' as const, onClick: () => keepMember(person) }]
        : []),
      { ...bindTo, needs: 'admin', onClick: () => bind(id) },
      { ...remove, needs: 'admin', onClick: () => removeMember(person) },
    ]
  }),
]

const RoleField = ({
  person: { id, name, role, isByDirectory },
  isOwn,
}: {
  person: Person
  isOwn: boolean
}) =>
  isByDirectory ? (
    <span class="row">
      {ROLE_WORDS[role]} <Badge tone="calm">{t('By the directory')}</Badge>
    </span>
  ) : hasTeamRole('admin') && !isOwn && role !== 'owner' ? (
    <Choice
      label={t('Role of {name}', { name })}
      choices={GRANTED}
      value={role}
      save={(next) => pb.collection('members').update(id, { role: next })}
    />
  ) : (
    ROLE_WORDS[role]
  )

/** A select field that saves each change immediately. */
function Choice<K extends Notify | MemberRole>({
  label,
  choices,
  value,
  save,
}: {
  label: string
  choices: Choices<K>
  value: K
  save: (value: K) => Promise<unknown>
}) {
  /** The choice, until the list has it, too. */
  const [chosen, setChosen] = useState<K>()
  useEffect(() => setChosen(undefined), [value])
  const change = async (next: K) => {
    setChosen(next)
    if (!(await runWithToast(() => save(next), t('Saved')))) setChosen(undefined)
  }
  return (
    <select
      aria-label={label}
      value={chosen ?? value}
      onChange={(event) => void change(event.currentTarget.value as K)}
    >
      <Options choices={choices} />
    </select>
  )
}

const keepMember = ({ id, name }: Person) =>
  runWithToast(
    () => pb.collection('members').update(id, { directory: '' }),
    t('{name} stays', { name }),
  )

const removeMember = ({ id, name, isByDirectory }: Person) =>
  deleteRecord(
    { collectionName: 'members', id },
    {
      title: t('Remove {name} from the team?', { name }),
      text: [
        t('Access ends at once. What {name} sent and wrote stays, with the name.', { name }),
        isByDirectory &&
          t('Remove {name} from the directory as well: the next sign-in by it adds {name} again.', {
            name,
          }),
      ]
        .filter(Boolean)
        .join(' '),
      action: t('Remove'),
    },
    t('{name} was removed', { name }),
  )

const leaveTeam = ({ id }: Person) =>
  runConfirmed(
    {
      title: t('Leave the team?'),
      text: t('You no longer see this account, until somebody invites you again.'),
      action: t('Leave the team'),
    },
    () => own.collection('members').delete(id).then(stopActing),
    t('You left the team'),
  )
