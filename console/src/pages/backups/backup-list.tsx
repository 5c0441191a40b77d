import { type Backup, formatBytes } from '../../data/backups.ts'
import { pb } from '../../data/client.ts'
import type { Answer } from '../../data/use/use-answer.ts'
import { t, tx } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { msOf, Time } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { Loading } from '../../parts/wait.tsx'

type Row = Backup & { readonly id: string }

/** The stored backups, newest first. */
export function BackupList({
  backups: { value, fault, reload },
  isBusy,
  onRestore,
}: {
  backups: Answer<readonly Backup[]>
  isBusy: boolean
  onRestore: (backup: Backup) => void
}) {
  if (fault) return <Notice kind="wrong">{fault.message}</Notice>
  if (!value) return <Loading />
  if (value.length === 0)
    return (
      <Empty icon="backups" title={t('No backups yet')}>
        {t('“Back up now” makes the first one; a schedule makes them by itself.')}
      </Empty>
    )
  const rows = value
    .map((backup) => ({ ...backup, id: backup.key }))
    .sort((a, b) => msOf(b.modified) - msOf(a.modified))
  const columns: readonly Column<Row>[] = [
    { title: t('Name'), cell: ({ key }) => key, long: true },
    { title: t('Created'), cell: ({ modified }) => <Time at={modified} /> },
    { title: t('Size'), align: 'end', cell: ({ size }) => formatBytes(size) },
    {
      title: t('Actions'),
      bare: true,
      align: 'end',
      cell: (backup) => (
        <div class="backups-actions">
          <Button kind="quiet" icon="download" iconOnly onClick={() => void download(backup)}>
            {t('Download {name}', { name: backup.key })}
          </Button>
          <Button kind="quiet" icon="again" disabled={isBusy} onClick={() => onRestore(backup)}>
            {tx('Restore {name}', { name: <span class="unseen">{backup.key}</span> })}
          </Button>
          <Button kind="quiet" icon="trash" iconOnly onClick={() => void remove(backup).then(reload)}>
            {' '}
            {t('Delete {name}', { name: backup.key })}{' '}
          </Button>
        </div>
      ),
    },
  ]
  return <Table caption={t('Backups')} columns={columns} rows={rows} />
}

/** Downloads by a link with a token, so that the browser can save a file of any size. */
async function download({ key }: Backup): Promise<void> {
  try {
    const link = document.createElement('a')
    link.href = pb.backups.getDownloadURL(await pb.files.getToken(), key)
    link.download = key
    link.click()
  } catch (error) {
    toastFault(error)
  }
}

async function remove({ key }: Backup): Promise<void> {
  const sure = await confirmed({
    title: t('Delete the backup?'),
    text: t('{name} cannot be brought back.', { name: key }),
    action: t('Delete the backup'),
    danger: true,
  })
  if (!sure) return
  await pb.backups.delete(key).then(() => toast(t('Backup deleted')), toastFault)
}
