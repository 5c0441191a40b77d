import type { ComponentChildren } from 'preact'
import { type Settings, type SettingsChange, saveSettings } from '../../data/settings.ts'
import { Card } from '../page.tsx'
import type { FormRow } from './form-row.ts'
import { RowsForm } from './rows-form.tsx'

/** Turns off the browser's autofill, which would fill in the superuser's own data. */
export const NO_AUTOFILL = { autocomplete: 'off', spellcheck: false } as const

/** A group of settings with its own save button. */
export interface SettingsPart {
  readonly key: string
  readonly title: string
  readonly rows: readonly FormRow[]
  readonly action: string
  readonly saved: string
  /** Asks for confirmation, if needed. Returns false if the changes must not be saved. */
  readonly isSure?: (changes: SettingsChange) => Promise<boolean>
}

export const SettingsCard = ({
  part: { key, title, rows, action, saved, isSure },
  settings,
  actions,
  onSaved,
  children,
}: {
  part: SettingsPart
  settings: Settings
  actions?: ComponentChildren
  onSaved?: () => Promise<unknown>
  children?: ComponentChildren
}) => (
  <Card title={title} actions={actions}>
    {children}
    <RowsForm
      draftKey={key}
      rows={rows}
      action={action}
      stored={settings}
      asks
      save={async (_, changes: SettingsChange) => {
        if (isSure && !(await isSure(changes))) return undefined
        await saveSettings(changes)
        await onSaved?.()
        return saved
      }}
    />
  </Card>
)
