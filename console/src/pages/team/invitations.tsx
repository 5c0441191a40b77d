import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useSetup } from '../../data/setup.ts'
import { type Invitation, type MemberRole, ROLE_WORDS } from '../../data/team/team.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { actionsColumn } from '../../parts/list/list-page.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Card } from '../../parts/page.tsx'
import { Qr } from '../../parts/qr.tsx'
import { Badge } from '../../parts/status.tsx'
import { msOf, Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'

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

/** Invitations that are not accepted yet. */
export function Invitations() {
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

const revoke = ({ id }: Invitation) =>
  pb
    .collection('member_invitations')
    .delete(id)
    .then(() => toast(t('Invitation revoked')), toastFault)

const ROLES = [
  ['agent', t('Agent: reads, sends and answers')],
  ['viewer', t('Viewer: reads')],
  ['admin', t('Admin: also manages devices, keys and the team')],
] as const

/** Invites a person by mail, or by a link that is shown once. */
export function Invite({ onClose }: { onClose: () => void }) {
  const { value: setup } = useSetup()
  const [role, setRole] = useState<MemberRole>('agent')
  const [email, setEmail] = useState('')
  const [link, setLink] = useState('')
  const invite = useTask(async () => {
    const body = { role, ...(email && { email }) }
    const made = await pb.send<{ link?: string }>('/api/account/invitations', { method: 'POST', body })
    if (made.link) return setLink(made.link)
    toast(t('An invitation is on its way to {email}', { email }))
    onClose()
  })
  if (link)
    return (
      <ShownOnce title={t('The invitation')} onClose={onClose}>
        <p>{t('Send this link to the person, or let them scan the picture. It works once, for 7 days.')}</p>
        <div class="team-invited">
          <CodeBlock code={link} />
          <Qr text={link} label={t('The invitation as a picture')} />
        </div>
      </ShownOnce>
    )
  return (
    <Dialog title={t('Invite somebody')} onClose={onClose}>
      <Form onSubmit={invite.run} fault={invite.fault} names={['role', 'email']}>
        <SelectField
          label={t('Role')}
          name="role"
          choices={ROLES}
          value={role}
          onValue={(value) => setRole(value as MemberRole)}
          fault={invite.fault}
        />
        {setup?.sends_mail && (
          <TextField
            label={t('Email')}
            name="email"
            type="email"
            hint={t('Leave it empty for a link that you pass on yourself.')}
            value={email}
            onValue={setEmail}
            fault={invite.fault}
          />
        )}
        <FormActions busy={invite.busy} onCancel={onClose}>
          {email ? t('Send the invitation') : t('Make the link')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
