import type { ApiKey } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tx } from '../../language/words.ts'
import { revoke } from '../../parts/dialog/revoke.ts'
import { Button } from '../../parts/form/button.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Badge } from '../../parts/status.tsx'
import { msOf, Time } from '../../parts/time.tsx'
import { NewKey } from './new-key.tsx'

const NAME: Column<ApiKey> = { title: t('Name'), cell: (key) => key.name }
const OWNER: Column<ApiKey> = { title: t('User'), cell: (key) => <Owner record={key} /> }
const OTHERS: readonly Column<ApiKey>[] = [
  { title: t('Begins with'), cell: (key) => <span class="mono">{key.prefix}…</span> },
  { title: t('Last used'), cell: (key) => <Time at={key.last_used_at} none={t('never')} /> },
  { title: t('Expires'), cell: (key) => <Expiry at={key.expires_at} /> },
  { title: t('Created'), cell: (key) => <Time at={key.created} /> },
  {
    title: t('Actions'),
    bare: true,
    align: 'end',
    cell: (key) => (
      <Button kind="quiet" icon="trash" onClick={() => void revokeKey(key)}>
        {tx('Revoke {name}', { name: <span class="unseen">{key.name}</span> })}
      </Button>
    ),
  },
]

/** API keys: the user's own; for superusers those of all users. */
export function Page() {
  const isAll = session.value?.role === 'superuser'
  const list = useList<ApiKey>('api_keys', { expand: isAll ? 'user' : '' })
  const shared = { title: t('API keys'), list, icon: 'keys' } as const
  return isAll ? (
    <ListPage
      {...shared}
      text={t('Those of all users. A key that is revoked opens nothing any more.')}
      caption={t('API keys of all users')}
      columns={[NAME, OWNER, ...OTHERS]}
      none={[t('No keys yet'), t('Users make them, for the programs that send in their names.')]}
    />
  ) : (
    <ListPage
      {...shared}
      text={t('A key lets a program send in your name, and nothing else. Give each program its own.')}
      columns={[NAME, ...OTHERS]}
      none={[
        t('No keys yet'),
        t('Make one for the program that is to send: your web shop, a script, an alarm.'),
      ]}
      add={t('New key')}
      dialog={(_, close) => <NewKey onClose={close} />}
    />
  )
}

function Expiry({ at }: { at: string }) {
  if (at !== '' && msOf(at) < Date.now()) return <Badge tone="bad">{t('Expired')}</Badge>
  return <Time at={at} none={t('never')} />
}

const revokeKey = (key: ApiKey) =>
  revoke(
    `/api/collections/api_keys/records/${key.id}`,
    {
      title: t('Revoke {name}?', { name: key.name }),
      text: t('Programs that send with it are refused from now on.'),
      action: t('Revoke the key'),
    },
    t('{name} was revoked', { name: key.name }),
  )
