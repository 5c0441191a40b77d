import type { Backup } from '../../data/backups.ts'
import { pb } from '../../data/client.ts'
import { downloadUrl } from '../../data/files/save-file.ts'
import { formatBytes } from '../../data/text/format-bytes.ts'
import { parseDate } from '../../data/text/local-time.ts'
import type { Answer } from '../../data/use/use-answer.ts'
import { t } from '../../language/words.ts'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Loading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'

type Row = Backup & { readonly id: string }

export function BackupList({
  backups: { value, fault, reload },
  isBusy,
  onRestore,
}: {
  backups: Answer<readonly Backup[]>
  isBusy: boolean
  onRestore: (backup: Backup) => void
}) {
  if (fault) return <FaultNotice fault={fault} />
  if (!value) return <Loading />
  if (value.length === 0)
    return (
      <Empty icon="backups" title={t('No backups yet')}>
        {t('“Back up now” creates the first backup; a schedule creates backups automatically.')}
      </Empty>
    )
  const rows = value
    .map((backup) => ({ ...backup, id: backup.key }))
    .sort((a, b) => parseDate(b.modified) - parseDate(a.modified))
  const columns: readonly Column<Row>[] = [
    { title: t('Name'), cell: ({ key }) => key, long: true },
    { title: t('Created'), cell: ({ modified }) => <Time at={modified} /> },
    { title: t('Size'), align: 'end', cell: ({ size }) => formatBytes(size) },
    {
      title: t('Actions'),
      bare: true,
      align: 'end',
      cell: (backup) => (
        <div class="row-actions">
          <Button kind="quiet" icon="download" iconOnly onClick={() => void downloadBackup(backup)}>
            {t('Download {name}', { name: backup.key })}
          </Button>
          <Button kind="quiet" disabled={isBusy} onClick={() => onRestore(backup)}>
            {t('Restore')} <span class="unseen">{backup.key}</span>
          </Button>
          <Button
            kind="quiet"
            icon="trash"
            iconOnly
            onClick={() => void deleteBackup(backup).then(reload)}
          >
            {t('Delete {name}', { name: backup.key })}
          </Button>
        </div>
      ),
    },
  ]
  return <Table caption={t('Backups')} columns={columns} rows={rows} />
}

const downloadBackup = ({ key }: Backup) =>
  runWithToast(async () =>
    downloadUrl(key, pb.backups.getDownloadURL(await pb.files.getToken(), key)),
  )

const deleteBackup = ({ key }: Backup) =>
  runConfirmed(
    {
      title: t('Delete the backup?'),
      text: t('{name} is deleted for good.', { name: key }),
      action: t('Delete the backup'),
    },
    () => pb.backups.delete(key),
    t('Backup deleted'),
  )
