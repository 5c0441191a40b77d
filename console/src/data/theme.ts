import { effect } from '@preact/signals'
import { rememberSignal } from './remembered.ts'

export type Theme = 'system' | 'light' | 'dark'

export const theme = rememberSignal<Theme>('theme', 'system')

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
