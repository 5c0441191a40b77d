import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { isLoopback } from '../../data/loopback.ts'
import type { RecordOf, Sender, UserSettings } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import { useSetup } from '../../data/setup.ts'
import { type Invitation, ROLE_WORDS } from '../../data/team/team.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { actionsColumn, type Column, Records } from '../../parts/list/table.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { Qr } from '../../parts/qr.tsx'
import { type FieldRow, RowsForm } from '../../parts/rows/rows-form.tsx'
import { Badge, msOf, Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Members } from './members.tsx'
import './page.css'

export function Page() {
  const [isInviting, setInviting] = useState(false)
  return (
    <Frame
      title={t('Team')}
      text={t('People who answer the texts of this account, each with their own sign-in.')}
      actions={
        <Button kind="primary" icon="plus" needs="admin" onClick={() => setInviting(true)}>
          {t('Invite somebody')}
        </Button>
      }
    >
      <Members />
      {may('admin') && <Invitations />}
      {may('admin') && <Assigning />}
      {may('admin') && <Changes />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </Frame>
  )
}

const WAYS = [
  ['', t('Nobody at first')],
  ['answerer', t('Who answers first')],
  ['turns', t('In turns, when a text comes in')],
] as const

function Assigning() {
  const save = useTask(async (assign: string) => {
    await saveOwnSettings({ assign: assign as UserSettings['assign'] })
    toast(t('Saved'))
  })
  if (ownSettings.value === undefined) return null
  return (
    <Card title={t('Assigning')}>
      {save.fault && <Notice kind="wrong">{save.fault.message}</Notice>}
      <SelectField
        label={t('Who gets a conversation that nobody has')}
        name="assign"
        choices={WAYS}
        value={ownSettings.value?.assign ?? ''}
        onValue={(assign) => void save.run(assign)}
        disabled={save.busy}
        hint={t('In turns goes to the owner, admins and agents; the next is who has waited longest.')}
      />
    </Card>
  )
}

interface Change extends RecordOf<'account_audit'> {
  readonly fields: readonly string[] | null
  readonly expand?: { readonly sender?: Sender }
}

/** Labels of actions. An action without a label is shown by its name. */
const ACTIONS: Readonly<Record<string, string>> = {
  create: t('Created'),
  update: t('Changed'),
  delete: t('Deleted'),
}
const THINGS: Readonly<Record<string, string>> = {
  devices: t('Device'),
  lines: t('Line'),
  api_keys: t('API key'),
  webhooks: t('Outgoing webhook'),
  hooks: t('Incoming webhook'),
  members: t('Member'),
  member_invitations: t('Invitation'),
}

/** Where to find a record's name, by its collection. `senders` keeps names of deleted members and keys. */
const NAMES: Readonly<Record<string, readonly [collection: string, field: string]>> = {
  devices: ['devices', 'name'],
  lines: ['lines', 'label'],
  api_keys: ['senders', 'name'],
  webhooks: ['webhooks', 'url'],
  hooks: ['hooks', 'name'],
  members: ['senders', 'name'],
  member_invitations: ['member_invitations', 'email'],
}

const keyOf = ({ collection, record }: Change) => `${collection}/${record}`

async function findNames(keys: readonly string[]): Promise<(readonly [string, string])[]> {
  const found = Object.entries(NAMES).map(async ([kind, [collection, field]]) => {
    const ids = keys.filter((key) => key.startsWith(`${kind}/`)).map((key) => key.slice(kind.length + 1))
    if (ids.length === 0) return []
    const filter = ids.map((id) => pb.filter('id = {:id}', { id })).join(' || ')
    const options = { filter, skipTotal: true, fields: `id,${field}` }
    const { items } = await pb.collection(collection).getList(1, ids.length, options)
    return items.map((record) => [`${kind}/${record.id}`, String(record[field])] as const)
  })
  return (await Promise.all(found)).flat()
}

const columnsOf = (nameOf: (key: string) => string | undefined): readonly Column<Change>[] => [
  { title: t('Who'), cell: ({ expand }) => expand?.sender?.name ?? '–' },
  {
    title: t('What'),
    cell: ({ action, collection }) => `${THINGS[collection] ?? collection}: ${ACTIONS[action] ?? action}`,
  },
  {
    title: t('Record'),
    cell: (change) => nameOf(keyOf(change)) || <span class="mono">{change.record}</span>,
  },
  {
    title: t('Fields'),
    long: true,
    spare: ({ fields }) => !fields?.length,
    cell: ({ fields }) => fields?.join(', ') || '–',
  },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

function Changes() {
  const changes = useList<Change>('account_audit', { sort: '-created,-id', expand: 'sender', perPage: 20 })
  const nameOf = useLookup(changes.items.map(keyOf), findNames)
  return (
    <Card title={t('What was changed')}>
      <Records
        list={changes}
        caption={t('What was changed')}
        columns={columnsOf(nameOf)}
        empty={<p class="muted">{t('Changes of devices, keys, webhooks and the team are listed here.')}</p>}
      />
    </Card>
  )
}

const COLUMNS: readonly Column<Invitation>[] = [
  { title: t('For'), cell: ({ email }) => email || t('Anybody with the link') },
  { title: t('Role'), cell: ({ role }) => ROLE_WORDS[role] },
  {
    title: t('Expires'),
    cell: ({ expires }) =>
      msOf(expires) < Date.now() ? <Badge tone="calm">{t('Expired')}</Badge> : <Time at={expires} />,
  },
  actionsColumn((invitation) => [
    { icon: 'trash', words: t('Revoke'), iconOnly: false, onClick: () => revoke(invitation) },
  ]),
]

function Invitations() {
  const invitations = useList<Invitation>('member_invitations', { sort: '-created,-id' })
  return (
    <Card title={t('Open invitations')}>
      <Records
        list={invitations}
        caption={t('Open invitations')}
        columns={COLUMNS}
        empty={<p class="muted">{t('None. An invitation is good for 7 days and for one person.')}</p>}
      />
    </Card>
  )
}

const revoke = (invitation: Invitation) =>
  deleteRecord(
    invitation,
    {
      title: t('Revoke the invitation?'),
      text: t('Its link does not work any more. You can invite the person again.'),
      action: t('Revoke'),
    },
    t('Invitation revoked'),
  )

const ROLES = [
  ['agent', t('Agent: reads, sends and answers')],
  ['viewer', t('Viewer: reads')],
  ['admin', t('Admin: also manages devices, keys and the team')],
] as const

const INVITE_ROWS: readonly FieldRow[] = [
  { name: 'role', label: t('Role'), kind: 'select', choices: ROLES },
  {
    ...{ name: 'email', label: t('Email'), kind: 'email' },
    hint: t('Leave it empty for a link that you pass on yourself.'),
    write: (typed) => typed || undefined,
  },
]

function Invite({ onClose }: { onClose: () => void }) {
  const { value: setup } = useSetup()
  const [email, setEmail] = useState('')
  const [link, setLink] = useState('')
  const save = async (_: unknown, body: Readonly<Record<string, unknown>>) => {
    const made = await pb.send<{ link?: string }>('/api/account/invitations', { method: 'POST', body })
    if (made.link) setLink(made.link)
    else onClose()
    return made.link ? '' : t('An invitation is on its way to {email}', { email })
  }
  if (link)
    return (
      <ShownOnce title={t('The invitation')} onClose={onClose}>
        {isLoopback(link) && (
          <Notice kind="warning">
            {t('Only this computer can open the link: {host} is its own address.', {
              host: new URL(link).host,
            })}
          </Notice>
        )}
        <p>{t('Send this link to the person, or let them scan the picture. It works once, for 7 days.')}</p>
        <div class="team-invited">
          <CodeBlock code={link} />
          <Qr text={link} label={t('The invitation as a picture')} />
        </div>
      </ShownOnce>
    )
  return (
    <Dialog title={t('Invite somebody')} onClose={onClose}>
      <RowsForm
        {...{ draftKey: 'invite', rows: INVITE_ROWS.slice(0, setup?.sends_mail ? 2 : 1), save }}
        {...{ stored: { role: 'agent' }, onCancel: onClose }}
        onTyped={(all) => setEmail(String(all.email ?? ''))}
        action={email ? t('Send the invitation') : t('Make the link')}
      />
    </Dialog>
  )
}
