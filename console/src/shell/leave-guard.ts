import { discardUnsaved, hasUnsaved } from '../data/use/use-draft.ts'
import { t } from '../language/words.ts'
import { confirmed } from '../parts/dialog/dialog.tsx'
import { guardLeaving } from '../router.ts'

const QUESTION = {
  title: t('Leave without saving?'),
  text: t('Changes on this page are not saved yet.'),
  action: t('Leave without saving'),
  keep: t('Stay'),
  danger: true,
} as const

/** Asks before a page with unsaved settings is left, whatever leads away from it. */
export function guardUnsaved(): void {
  guardLeaving(hasUnsaved, async () => {
    if (!(await confirmed(QUESTION))) return false
    discardUnsaved()
    return true
  })
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault()
  })
}
