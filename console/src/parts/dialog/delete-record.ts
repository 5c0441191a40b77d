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
