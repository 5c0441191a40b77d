import type { SendOptions } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { toast, toastFault } from '../toast.tsx'
import { confirmed, type Question } from './dialog.tsx'

/** Does what cannot be taken back after confirmation, and shows the result. */
export async function runConfirmed(
  question: Question,
  work: () => Promise<unknown>,
  said: string,
  then = () => {},
): Promise<void> {
  if (!(await confirmed({ ...question, danger: true }))) return
  await work().then(() => {
    toast(said)
    then()
  }, toastFault)
}

/** Deletes a record after confirmation, and shows the result. */
export const deleteRecord = (
  { collectionName, id }: { readonly collectionName: string; readonly id: string },
  question: Question,
  said: string,
  then?: () => void,
) => runConfirmed(question, () => pb.collection(collectionName).delete(id), said, then)

/**
 * Deletes what `path` names after a question, and a moment for Undo; at once when the window is closed. What
 * was deleted cannot be restored: its secret is gone. False when the answer is no.
 */
export async function revoke(path: string, question: Question, said: string, then = () => {}) {
  if (!(await confirmed({ ...question, danger: true }))) return false
  // the account may be another one by then
  const headers = { authorization: pb.authStore.token }
  const options: SendOptions = { method: 'DELETE', headers, keepalive: true, requestKey: null }
  const finish = () => {
    removeEventListener('pagehide', finish)
    pb.send(path, options).then(then, toastFault)
  }
  addEventListener('pagehide', finish)
  toast(said, () => removeEventListener('pagehide', finish), finish)
  return true
}
