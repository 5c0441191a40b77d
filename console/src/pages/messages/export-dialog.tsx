import { useState } from 'preact/hooks'
import { saveFile } from '../../data/files/save-file.ts'
import { isUser } from '../../data/session.ts'
import { formatBytes } from '../../data/text/format-bytes.ts'
import { formatLocal } from '../../data/text/local-time.ts'
import { useLongTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckList } from '../../parts/form/choices.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Progress } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { type Exported, readExport } from './csv-export.ts'
import {
  CSV_COLUMNS,
  type CsvColumn,
  listFields,
  readNames,
  writeReadableCsv,
} from './readable-csv.ts'

const CHOSEN = 11

export function ExportDialog({
  filter,
  total,
  onClose,
}: {
  filter: string
  total: number
  onClose: () => void
}) {
  const columns = CSV_COLUMNS.filter(({ words }) => words !== (isUser() ? t('User') : t('Contact')))
  const [chosen, setChosen] = useState<readonly CsvColumn[]>(columns.slice(0, CHOSEN))
  const [done, setDone] = useState<Exported>({ rows: 0, bytes: 0 })
  const run = useLongTask(async (ended) => {
    setDone({ rows: 0, bytes: 0 })
    try {
      const wanted = columns.filter((column) => chosen.includes(column))
      const names = isUser() ? await readNames(ended) : new Map()
      const csv = await readExport(filter, listFields(wanted), setDone, ended)
      const file = await writeReadableCsv(csv, wanted, names)
      saveFile(`messages-${formatLocal(Date.now()).slice(0, 10)}.csv`, file)
      showToast(t('Export saved'))
      onClose()
    } catch (error) {
      if (!ended.aborted) throw error
    }
  })
  const stop = () => {
    run.stop()
    showToast(t('Export stopped'))
  }
  return (
    <Dialog title={t('Export as CSV')} onClose={onClose}>
      <Form onSubmit={run.run} fault={run.fault}>
        <p>
          {filter === ''
            ? t('All messages, newest first: {total} now.', { total })
            : t('The messages of your filter, newest first: {total} now.', { total })}
        </p>
        {run.busy ? (
          <Progress
            value={done.rows}
            max={Math.max(total, done.rows)}
            label={t('{count} of {total} messages, {size}', {
              count: done.rows,
              total,
              size: formatBytes(done.bytes),
            })}
          />
        ) : (
          <CheckList
            legend={t('Columns')}
            name="column"
            choices={columns.map(({ words }) => [words, words] as const)}
            chosen={chosen.map(({ words }) => words)}
            onChosen={(names) => setChosen(columns.filter(({ words }) => names.includes(words)))}
          />
        )}
        <FormActions
          icon="download"
          busy={run.busy}
          disabled={chosen.length === 0}
          onCancel={onClose}
          onStop={stop}
        >
          {t('Export')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
