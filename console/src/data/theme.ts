import { effect } from '@preact/signals'
import { remembered } from './remembered.ts'

export type Theme = 'system' | 'light' | 'dark'

export const theme = remembered<Theme>('theme', 'system')

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
