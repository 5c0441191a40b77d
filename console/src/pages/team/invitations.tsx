import { pb } from '../../data/client.ts'
import { type Invitation, ROLE_WORDS } from '../../data/team/team.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
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
  {
    title: t('Actions'),
    bare: true,
    align: 'end',
    cell: (invitation) => (
      <Button kind="quiet" icon="trash" onClick={() => void revoke(invitation)}>
        {t('Revoke')}
      </Button>
    ),
  },
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
