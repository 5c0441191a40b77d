import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadPageTexts } from '../language/catalogue.ts'
import type { PageEntry } from '../pages.ts'
import { findVisible, focusList } from '../parts/list/arrows.ts'
import { FIELDS, keysOpen, listShortcuts, type PaletteProps, pressShortcut } from './shortcuts.ts'

const SEARCH = 'main :is(input[type="search"], [role="combobox"])'

/** Leaves one level: a field for the list, then the page for the one above it. */
function goBack(target: Element): boolean {
  if (target.closest(FIELDS)) {
    if (!focusList()) (target as HTMLElement).blur()
    return true
  }
  const back = document.querySelector<HTMLElement>('main a.back')
  back?.click()
  return back !== null
}

function pressKey(event: KeyboardEvent): void {
  const target = event.target as Element
  // a dialog has the keys, also if its focused button is gone and the body has the focus
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog:modal')) return
  const isCommand = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase() // Caps Lock makes an A of an a
  if (isCommand && key === 'k') keysOpen.value = 'palette'
  else if (isCommand || event.altKey || event.repeat) return
  else if (key === 'escape') {
    if (!goBack(target)) return
  } else if (target.closest(FIELDS)) {
    if (key !== 'arrowdown' || !target.matches('input[type="search"]') || !focusList()) return
  } else if (key === 'arrowdown') {
    if (!target.matches('body, main, h1') || !focusList()) return
  } else if (key === '?') keysOpen.value = 'keys'
  else if (key === '/') {
    const [search] = findVisible(SEARCH)
    if (!search) return
    search.focus()
  } else {
    const found = listShortcuts().find(
      (each) => each.getAttribute('aria-keyshortcuts')?.toLowerCase() === key,
    )
    if (!found) return
    pressShortcut(found)
  }
  event.preventDefault()
}

/** Listens for keys of the whole console, and shows what they open. Loads that when it is first opened. */
export function Keys({ pages }: { pages: readonly PageEntry[] }) {
  const [loaded, setLoaded] = useState<Record<'Palette' | 'KeyList', ComponentType<PaletteProps>>>()
  const open = keysOpen.value
  useEffect(() => {
    addEventListener('keydown', pressKey)
    return () => {
      removeEventListener('keydown', pressKey)
      keysOpen.value = ''
    }
  }, [])
  useEffect(() => {
    if (open && !loaded)
      loadPageTexts()
        .then(() => import('./palette.tsx'))
        .then(setLoaded, () => {})
  }, [open])
  const props = {
    pages,
    onClose: () => {
      keysOpen.value = ''
    },
  }
  if (!open || !loaded) return null
  return open === 'palette' ? <loaded.Palette {...props} /> : <loaded.KeyList {...props} />
}
