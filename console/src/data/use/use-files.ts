import { useState } from 'preact/hooks'
import { namePerson } from '../session.ts'
import { type ChosenFile, chosenFiles } from './chosen-files.ts'
import { useDraft } from './use-draft.ts'

export interface ChosenFiles {
  readonly files: readonly ChosenFile[]
  /** Names of files that were chosen before the page was loaded again, which lost them. */
  readonly lost: readonly string[]
  set(files: readonly ChosenFile[]): void
}

const NONE: readonly string[] = []

/** Files of a form, which are kept with its draft `key` until they are sent, removed, or a sign-out. */
export function useFiles(key: string, initial: readonly ChosenFile[] = []): ChosenFiles {
  const name = `${namePerson()}.${key}`
  const [files, setFiles] = useState(() => chosenFiles.get(name) ?? initial)
  const draft = useDraft(`${key}.files`, { names: NONE })
  return {
    files,
    lost: draft.value.names.filter((name) => !files.some((file) => file.name === name)),
    set(now) {
      chosenFiles.set(name, now)
      setFiles(now)
      if (now.length === 0) draft.saved({ names: NONE })
      else draft.set({ names: now.map((file) => file.name) })
    },
  }
}
