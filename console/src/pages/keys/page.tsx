import { useState } from 'preact/hooks'
import { isDeleting, makeRecordPath } from '../../data/deletions.ts'
import type { ApiKey, RecordOf } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tx } from '../../language/words.ts'
import { confirmAndRevoke } from '../../parts/dialog/confirm-and-revoke.ts'
import { makeActionsColumn, type RowAction } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Badge, OnOffBadge, Time } from '../../parts/time.tsx'
import { ChangeKey, hasPreviousKey, isExpired, RotateKey, switchKey } from './change-key.tsx'
import { NewKey } from './new-key.tsx'
import './page.css'

const NAME: Column<ApiKey> = { title: t('Name'), cell: ({ name }) => name }
const OWNER: Column<ApiKey> = { title: t('User'), cell: (key) => <Owner record={key} /> }
const makeOtherColumns = (
  actions: (key: ApiKey) => readonly RowAction[],
  findRefusal: (key: ApiKey) => Refusal | undefined = () => undefined,
): readonly Column<ApiKey>[] => [
  {
    title: t('State'),
    cell: (key) => {
      if (isBeingRevoked(key)) return <Badge tone="calm">{t('Being revoked')}</Badge>
      if (isExpired(key)) return <Badge tone="bad">{t('Expired')}</Badge>
      return <OnOffBadge isOn={!key.disabled} />
    },
  },
  { title: t('Begins with'), minor: true, cell: (key) => <span class="mono">{key.prefix}…</span> },
  { title: t('Last used'), cell: (key) => <LastUse of={key} refusal={findRefusal(key)} /> },
  {
    title: t('Expires'),
    minor: true,
    cell: ({ expires_at }) => <Time at={expires_at} none={t('never')} />,
  },
  { title: t('Created'), minor: true, cell: (key) => <Time at={key.created} /> },
  makeActionsColumn((key) =>
    isBeingRevoked(key)
      ? []
      : [
          ...actions(key),
          {
            words: key.disabled ? t('Switch on') : t('Switch off'),
            onClick: () => void switchKey(key),
          },
          {
            icon: 'trash',
            words: t('Revoke {name}', { name: key.name }),
            onClick: () => revokeKey(key),
          },
        ],
  ),
]

/** The server stores the last use of a key at most once a minute, and sends no event for it. */
const USES_MS = 30_000

export function Page() {
  const isAll = !isUser()
  const list = useList<ApiKey>('api_keys', { expand: isAll ? 'user' : '', everyMs: USES_MS })
  const [rotated, setRotated] = useState<ApiKey>()
  const findRefusal = useRefusals(!isAll)
  const shared = { title: t('API keys'), list, icon: 'keys' } as const
  return isAll ? (
    <ListPage
      {...shared}
      text={t(
        'The keys of all users. A key that is switched off or revoked stops working at once.',
      )}
      caption={t('API keys of all users')}
      columns={[NAME, OWNER, ...makeOtherColumns(() => [])]}
      none={[
        t('No keys yet'),
        t('Users create API keys for the programs that send in their name.'),
      ]}
    />
  ) : (
    <>
      <ListPage
        {...shared}
        text={t('A key lets a program send in your name. Give each program its own key.')}
        columns={(edit) => [
          NAME,
          ...makeOtherColumns(
            (key) => [
              {
                icon: 'edit',
                words: t('Change {name}', { name: key.name }),
                onClick: () => edit(key),
              },
              {
                icon: 'again',
                words: t('A new secret for {name}', { name: key.name }),
                onClick: () => setRotated(key),
              },
            ],
            findRefusal,
          ),
        ]}
        none={[
          t('No keys yet'),
          t('Create a key for the program that sends: your web shop, a script, an alarm.'),
        ]}
        add={t('New key')}
        dialog={(key, close) =>
          key ? <ChangeKey record={key} onClose={close} /> : <NewKey onClose={close} />
        }
      />
      {rotated && <RotateKey record={rotated} onClose={() => setRotated(undefined)} />}
    </>
  )
}

type Refusal = RecordOf<'account_audit'>

/** As many of the latest refusals are read. */
const MOST_REFUSALS = 200

/** Returns a function: the latest use of a key that was refused for its address. */
function useRefusals(ready: boolean): (key: ApiKey) => Refusal | undefined {
  const { items } = useList<Refusal>('account_audit', {
    filter: 'collection = "api_keys" && action = "refused"',
    perPage: MOST_REFUSALS,
    isCounted: false,
    ready,
  })
  return ({ id }) => items.find(({ record }) => record === id)
}

const LastUse = ({ of, refusal }: { of: ApiKey; refusal: Refusal | undefined }) => (
  <span class="breaks">
    <Time at={of.last_used_at} none={t('never')} />
    {of.last_used_ip && <span class="muted"> {of.last_used_ip}</span>}
    {hasPreviousKey(of) && of.last_used_prefix && (
      <span class="muted mono"> {of.last_used_prefix}…</span>
    )}
    {of.addresses && (
      <span class="keys-more muted">
        {t('Only from {addresses}', { addresses: of.addresses.split(',').join(', ') })}
      </span>
    )}
    {refusal && (
      <span class="keys-more">
        {tx('Last refused: {when} at {address}', {
          when: <Time at={refusal.created} />,
          address: refusal.ip,
        })}
      </span>
    )}
  </span>
)

const findPath = ({ id }: ApiKey) => makeRecordPath('api_keys', id)
const isBeingRevoked = (key: ApiKey) => isDeleting(findPath(key))

const revokeKey = (key: ApiKey) =>
  confirmAndRevoke(
    findPath(key),
    {
      title: t('Revoke {name}?', { name: key.name }),
      text: t(
        'You can undo this for a few seconds. Then programs that send with this key are refused.',
      ),
      action: t('Revoke the key'),
    },
    t('{name} was revoked', { name: key.name }),
  )
