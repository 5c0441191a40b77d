/** Downloads a text or a blob as a file. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // after a minute the download has begun
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
