import { matchAny, pb } from '../../data/client.ts'
import type { RecordOf, Sender } from '../../data/record-types.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { type List, useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { useExportLines } from '../../parts/export-lines.ts'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'

interface Change extends RecordOf<'account_audit'> {
  readonly fields: readonly string[] | null
  readonly expand?: { readonly sender?: Sender }
}

/** Labels of actions. An action without a label is shown by its name. */
const ACTIONS: Readonly<Record<string, string>> = {
  create: t('Created'),
  update: t('Changed'),
  delete: t('Deleted'),
  refused: t('Refused from this address'),
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

const makeKey = ({ collection, record }: Change) => `${collection}/${record}`

async function findNames(keys: readonly string[]): Promise<(readonly [string, string])[]> {
  const found = Object.entries(NAMES).map(async ([kind, [collection, field]]) => {
    const ids = keys
      .filter((key) => key.startsWith(`${kind}/`))
      .map((key) => key.slice(kind.length + 1))
    if (ids.length === 0) return []
    const filter = matchAny('id', ids)
    const options = { filter, skipTotal: true, fields: `id,${field}` }
    const { items } = await pb.collection(collection).getList(1, ids.length, options)
    return items.map((record) => [`${kind}/${record.id}`, String(record[field])] as const)
  })
  return (await Promise.all(found)).flat()
}

/** The changed fields. A refused use changed none: it names what refused it. */
const listFields = ({ action, fields }: Change) => (action === 'refused' ? [] : (fields ?? []))

const makeColumns = (findName: (key: string) => string | undefined): readonly Column<Change>[] => [
  { title: t('Who'), cell: ({ expand, ip }) => expand?.sender?.name ?? (ip || '–') },
  {
    title: t('What'),
    cell: ({ action, collection }) =>
      t('{name}: {text}', {
        name: THINGS[collection] ?? collection,
        text: ACTIONS[action] ?? action,
      }),
  },
  {
    title: t('Record'),
    cell: (change) => findName(makeKey(change)) || <span class="mono">{change.record}</span>,
  },
  {
    title: t('Fields'),
    long: true,
    minor: true,
    spare: (change) => listFields(change).length === 0,
    cell: (change) => listFields(change).join(', ') || '–',
  },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

export const useChanges = (ready: boolean) =>
  useList<Change>('account_audit', {
    sort: '-created,-id',
    expand: 'sender',
    perPage: 20,
    ready,
  })

export function Changes({ list: changes }: { list: List<Change> }) {
  const findName = useLookup(changes.items.map(makeKey), findNames).get
  const save = useExportLines(
    '/api/collections/account_audit/export',
    { format: 'ndjson' },
    'changes',
  )
  return (
    <Card
      title={t('What was changed')}
      actions={
        <Button icon="download" task={save}>
          {t('Export')}
        </Button>
      }
    >
      <FaultNotice fault={save.fault} />
      <Records
        list={changes}
        caption={t('What was changed')}
        columns={makeColumns(findName)}
        empty={
          <p class="muted">
            {t(
              'Changes that members make to devices, keys, webhooks and the team are listed here.',
            )}
          </p>
        }
      />
    </Card>
  )
}
