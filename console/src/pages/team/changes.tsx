import type { RecordOf, Sender } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'

/** A change by a member of the team. */
interface Change extends RecordOf<'account_audit'> {
  readonly fields: readonly string[] | null
  readonly expand?: { readonly sender?: Sender }
}

/** Actions without a label are shown by their names. */
const ACTIONS: Readonly<Record<string, string>> = {
  create: t('Created'),
  update: t('Changed'),
  delete: t('Deleted'),
}
const THINGS: Readonly<Record<string, string>> = {
  devices: t('Device'),
  lines: t('Line'),
  api_keys: t('API key'),
  webhooks: t('Webhook'),
  members: t('Member'),
  member_invitations: t('Invitation'),
}

const COLUMNS: readonly Column<Change>[] = [
  { title: t('Who'), cell: ({ expand }) => expand?.sender?.name ?? '–' },
  {
    title: t('What'),
    cell: ({ action, collection }) => `${THINGS[collection] ?? collection}: ${ACTIONS[action] ?? action}`,
  },
  { title: t('Record'), cell: ({ record }) => <span class="mono">{record}</span> },
  {
    title: t('Fields'),
    long: true,
    spare: ({ fields }) => !fields?.length,
    cell: ({ fields }) => fields?.join(', ') || '–',
  },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

/** What members changed at devices, keys, webhooks and the team. */
export function Changes() {
  const changes = useList<Change>('account_audit', { sort: '-created,-id', expand: 'sender', perPage: 20 })
  return (
    <Card title={t('What was changed')}>
      <Records
        list={changes}
        caption={t('What was changed')}
        columns={COLUMNS}
        empty={<p class="muted">{t('Changes of devices, keys, webhooks and the team are listed here.')}</p>}
      />
    </Card>
  )
}
