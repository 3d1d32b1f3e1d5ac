/**
 * The script of the page that verifies files. It computes the digest of the chosen file in the browser and sends the
 * form with only the digest; the file field belongs to no form. Browsers compute digests only on secure addresses
 * (`https:` or `localhost`): on other addresses the page says so.
 */
export const verifyScript = `
(() => {
  const field = document.getElementById('file-field')
  const file = document.getElementById('file')
  const status = document.getElementById('status')
  const digest = document.getElementById('sha256')
  if (!window.crypto || !crypto.subtle) {
    document.getElementById('insecure').hidden = false
    return
  }
  field.hidden = false
  if (!digest.hasAttribute('aria-invalid')) document.getElementById('by-hand').open = false
  file.addEventListener('change', async () => {
    const [chosen] = file.files
    if (!chosen) return
    status.textContent = field.dataset.working
    try {
      const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await chosen.arrayBuffer()))
      digest.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
      digest.form.requestSubmit()
    } catch {
      status.textContent = field.dataset.failed
    }
  })
})()
`
