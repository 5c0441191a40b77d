import { useState } from 'preact/hooks'
import { session } from '../session.ts'
import { chosenFiles } from './chosen-files.ts'
import { useDraft } from './use-draft.ts'

export interface ChosenFiles {
  readonly files: readonly File[]
  /** Names of files that were chosen before the page was loaded again, which lost them. */
  readonly lost: readonly string[]
  set(files: readonly File[]): void
}

const NONE: readonly string[] = []

/**
 * Files of a form, which are kept with its draft `key` until they are sent, removed, or a sign-out. `before`:
 * names of files that the form begins without.
 */
export function useFiles(key: string, before: readonly string[] = NONE): ChosenFiles {
  const name = `${session.value?.record.id ?? ''}.${key}`
  const [files, setFiles] = useState(() => chosenFiles.get(name) ?? [])
  const draft = useDraft(`${key}.files`, { names: before })
  return {
    files,
    lost: files.length === 0 ? draft.value.names : [],
    set(now) {
      chosenFiles.set(name, now)
      setFiles(now)
      if (now.length === 0) draft.saved({ names: NONE })
      else draft.set({ names: now.map((file) => file.name) })
    },
  }
}
