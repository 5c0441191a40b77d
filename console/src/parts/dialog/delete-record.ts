import { pb } from '../../data/client.ts'
import { toast, toastFault } from '../toast.tsx'
import { confirmed, type Question } from './dialog.tsx'

/** Deletes a record after confirmation, and shows the result. */
export async function deleteRecord(
  { collectionName, id }: { readonly collectionName: string; readonly id: string },
  question: Question,
  said: string,
  then = () => {},
): Promise<void> {
  if (!(await confirmed({ ...question, danger: true }))) return
  await pb
    .collection(collectionName)
    .delete(id)
    .then(() => {
      toast(said)
      then()
    }, toastFault)
}
