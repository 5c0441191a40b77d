import type { SendOptions } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { setDeleting } from '../../data/deletions.ts'
import { showToast, showToastFault } from '../toast.tsx'
import { askToConfirm, type Question } from './dialog.tsx'

/**
 * Asks for confirmation, then offers Undo. Sends DELETE `path` only when it is too late for Undo or the
 * window closes, because a deleted secret cannot be restored. Returns false if the user declines.
 */
export async function confirmAndRevoke(
  path: string,
  question: Question,
  said: string,
  then = () => {},
) {
  if (!(await askToConfirm({ ...question, danger: true }))) return false
  // keeps the current token, because the person may switch to another account before the deletion
  const headers = { authorization: pb.authStore.token }
  const options: SendOptions = { method: 'DELETE', headers, keepalive: true }
  const end = () => setDeleting(path, false)
  const finish = () => {
    removeEventListener('pagehide', finish)
    pb.send(path, options).then(then, (error) => {
      end()
      showToastFault(error)
    })
  }
  const undo = () => {
    removeEventListener('pagehide', finish)
    end()
  }
  addEventListener('pagehide', finish)
  setDeleting(path, true)
  showToast(said, undo, finish)
  return true
}
