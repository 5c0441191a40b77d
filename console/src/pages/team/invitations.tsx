import { useState } from 'preact/hooks'
import { postRequest } from '../../data/client.ts'
import type { Invitation } from '../../data/record-types.ts'
import { useSetup } from '../../data/setup.ts'
import { ROLE_WORDS } from '../../data/team/team.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { readNowMs } from '../../data/text/now.ts'
import { writeEmail } from '../../data/text/write-email.ts'
import { type List, useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Card } from '../../parts/page.tsx'
import type { FieldRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { SharedLink } from '../../parts/shared-link.tsx'
import { Badge, Time } from '../../parts/time.tsx'

const COLUMNS: readonly Column<Invitation>[] = [
  { title: t('For'), cell: ({ email }) => email || t('Anybody with the link') },
  { title: t('Role'), cell: ({ role }) => ROLE_WORDS[role] },
  {
    title: t('Expires'),
    cell: ({ expires }) =>
      parseDate(expires) < readNowMs() ? (
        <Badge tone="calm">{t('Expired')}</Badge>
      ) : (
        <Time at={expires} />
      ),
  },
  makeActionsColumn((invitation) => [
    {
      icon: 'trash',
      words: t('Revoke'),
      iconOnly: false,
      onClick: () => revokeInvitation(invitation),
    },
  ]),
]

export const useInvitations = (ready: boolean) =>
  useList<Invitation>('member_invitations', { sort: '-created,-id', ready })

export const Invitations = ({ list }: { list: List<Invitation> }) => (
  <Card title={t('Open invitations')}>
    <Records
      list={list}
      caption={t('Open invitations')}
      isFollowed
      columns={COLUMNS}
      empty={<p class="muted">{t('None. An invitation is good for 7 days and for one person.')}</p>}
    />
  </Card>
)

const revokeInvitation = (invitation: Invitation) =>
  deleteRecord(
    invitation,
    {
      title: t('Revoke the invitation?'),
      text: t('The link stops working. You can invite the person again.'),
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
    name: 'email',
    label: t('Email'),
    kind: 'email',
    hint: t('Leave the field empty for a link that you pass on yourself.'),
    write: (typed) => writeEmail(typed) || undefined,
  },
]

export function Invite({ onClose }: { onClose: () => void }) {
  const { value: setup } = useSetup()
  const [email, setEmail] = useState('')
  const [link, setLink] = useState('')
  const save = async (_: unknown, body: Readonly<Record<string, unknown>>) => {
    const made = await postRequest<{ link?: string }>('/api/account/invitations', body)
    if (made.link) setLink(made.link)
    else onClose()
    return made.link ? '' : t('An invitation is on its way to {email}', { email })
  }
  if (link)
    return (
      <ShownOnce title={t('The invitation')} onClose={onClose}>
        <p>
          {t(
            'Send this link to the person, or let them scan the picture. It works once, for 7 days.',
          )}
        </p>
        <SharedLink link={link} label={t('The invitation as a picture')} />
      </ShownOnce>
    )
  return (
    <Dialog title={t('Invite somebody')} onClose={onClose}>
      <RowsForm
        draftKey="invite"
        rows={INVITE_ROWS.slice(0, setup?.sends_mail ? 2 : 1)}
        save={save}
        stored={{ role: 'agent' }}
        onCancel={onClose}
        onTyped={(all) => setEmail(String(all.email ?? ''))}
        action={email ? t('Send the invitation') : t('Create the link')}
      />
    </Dialog>
  )
}
