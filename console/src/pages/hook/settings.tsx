import { useState } from 'preact/hooks'
import { useCountry } from '../../data/phone/country.ts'
import { discardUnsaved } from '../../data/use/use-draft.ts'
import { useGroups } from '../../data/use/use-groups.ts'
import { useLines } from '../../data/use/use-lines.ts'
import type { Hook } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { go } from '../../router.ts'
import { hookRows } from './rows.tsx'

/** A hook with its unsaved settings. */
export interface Unsaved {
  readonly hook: Pick<Hook, 'preset'>
  readonly isChanged: boolean
}

/** A hook's text and recipients. */
export function Settings({ hook, onTyped }: { hook: Hook; onTyped: (unsaved: Unsaved) => void }) {
  const { items: groups } = useGroups()
  const lines = useLines()
  const [country, onCountry] = useCountry()
  const [preset, setPreset] = useState(hook.preset)
  return (
    <Card title={t('Settings')}>
      <RecordForm
        collection="hooks"
        record={hook}
        rows={hookRows({ preset, groups, lines, country, onCountry })}
        saved={t('Hook saved')}
        asks
        onTyped={(all, isChanged) => {
          const typed = all as unknown as Unsaved['hook']
          setPreset(typed.preset)
          onTyped({ hook: typed, isChanged })
        }}
      >
        <Button kind="quiet" icon="trash" onClick={() => void remove(hook)}>
          {t('Delete')}
        </Button>
      </RecordForm>
    </Card>
  )
}

const remove = (hook: Hook) =>
  deleteRecord(
    hook,
    {
      title: t('Delete the hook?'),
      text: t('Programs that call {name} are refused from now on.', { name: hook.name }),
      action: t('Delete the hook'),
    },
    t('Hook deleted'),
    () => {
      discardUnsaved()
      go('/hooks')
    },
  )
