import { openExport } from '../data/files/open-export.ts'
import { saveFile } from '../data/files/save-file.ts'
import { formatLocal } from '../data/text/local-time.ts'
import { type Task, useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { showToast } from './toast.tsx'

/** A task that saves an export as lines of JSON. */
export const useExportLines = (
  path: string,
  query: Readonly<Record<string, string>>,
  name: string,
): Task<[]> =>
  useTask(async () => {
    const lines = await openExport(path, query)
    saveFile(`${name}-${formatLocal(Date.now()).slice(0, 10)}.ndjson`, await lines.blob())
    showToast(t('Export saved'))
  })
