import { useEffect, useState } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import { own, pb } from '../../data/client.ts'
import type { Member, MemberRole, Notify } from '../../data/record-types.ts'
import { hasTeamRole, type Session, session, stopActing } from '../../data/session.ts'
import type { People } from '../../data/team/people.ts'
import { savePersonalChoices } from '../../data/team/personal-choices.ts'
import { ROLE_WORDS } from '../../data/team/team.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Dialog, deleteRecord, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Options } from '../../parts/form/field.tsx'
import { FaultNotice } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { makeAddressesRow } from '../../parts/rows/common-rows.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'

/** The owner or a member of a team. `id`: the id of this person's record in `senders`. */
interface Person {
  readonly id: string
  readonly name: string
  readonly role: MemberRole | 'owner'
  readonly notify: Notify
  readonly since: string
  readonly addresses: string
  /** Whether a directory gave the role: it would undo what people change here. */
  readonly isByDirectory: boolean
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

export function Members({ people: { members, findName } }: { people: People }) {
  const mine = session.value
  const [bound, setBound] = useState<Member>()
  if (!mine) return null
  const bind = (id: string) => setBound(members.items.find((member) => member.id === id))
  const owner: Person = {
    id: mine.record.id,
    name: findName(mine.record.id),
    role: 'owner',
    notify: ownSettings.value?.notify || 'all',
    since: '',
    addresses: '',
    isByDirectory: false,
  }
  const others = members.items.map(
    ({ id, role, notify, created, addresses, directory }): Person => ({
      id,
      name: findName(id),
      role,
      notify,
      since: created,
      addresses,
      isByDirectory: directory !== '',
    }),
  )
  return (
    <Card title={t('Members')}>
      <FaultNotice fault={members.fault} />
      <Table
        caption={t('Members')}
        columns={makeMemberColumns(mine, bind)}
        rows={[owner, ...others]}
      />
      {bound && (
        <AddressesDialog
          member={bound}
          name={findName(bound.id)}
          onClose={() => setBound(undefined)}
        />
      )}
      <ul class="note">
        <li>{t('Viewers read.')}</li>
        <li>{t('Agents also send and answer, and change contacts, groups and templates.')}</li>
        <li>
          {t(
            'Admins also manage devices, keys, webhooks, campaigns, automatic answers and the team.',
          )}
        </li>
        <li>{t('Only the owner changes the email, the password and the account itself.')}</li>
        {others.some(({ isByDirectory }) => isByDirectory) && (
          <li>
            {t(
              'The directory of your organization adds and removes members marked ‘By the directory’, and changes their role.',
            )}
          </li>
        )}
      </ul>
    </Card>
  )
}

const AddressesDialog = (props: { member: Member; name: string; onClose: () => void }) => (
  <Dialog title={t('Addresses of {name}', { name: props.name })} onClose={props.onClose}>
    <RecordForm
      collection="members"
      record={props.member}
      rows={[makeAddressesRow(t('May use the account only from'))]}
      saved={t('Saved')}
      onClose={props.onClose}
    />
  </Dialog>
)

const makeMemberColumns = (
  mine: Session,
  bind: (id: string) => void,
): readonly Column<Person>[] => [
  {
    title: t('Name'),
    cell: ({ id, name, addresses }) => (
      <>
        <span class="row">
          {name} {id === mine.sender && <Badge tone="calm">{t('You')}</Badge>}
        </span>
        {addresses && (
          <span class="muted breaks">
            {t('Only at {addresses}', { addresses: addresses.split(',').join(', ') })}
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
    const { id, name, role, isByDirectory } = person
    if (role === 'owner') return []
    const look = { iconOnly: false } as const
    const leave = { ...look, icon: 'leave', words: t('Leave the team') } as const
    if (id === mine.sender)
      return isByDirectory ? [] : [{ ...leave, onClick: () => leaveTeam(person) }]
    const bindTo = { icon: 'edit', words: t('Addresses of {name}', { name }) } as const
    const remove = { ...look, icon: 'trash', words: t('Remove {name}#member', { name }) } as const
    return [
      { ...bindTo, needs: 'admin', onClick: () => bind(id) },
      ...(isByDirectory
        ? []
        : [{ ...remove, needs: 'admin' as const, onClick: () => removeMember(person) }]),
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
  /** What was chosen, until the list has it, too. */
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

const removeMember = ({ id, name }: Person) =>
  deleteRecord(
    { collectionName: 'members', id },
    {
      title: t('Remove {name} from the team?', { name }),
      text: t('Access ends at once. What {name} sent and wrote stays, with the name.', { name }),
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
