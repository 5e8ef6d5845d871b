// What pages do besides: marking all rows of a table, asking before a form is sent. Without it all pages work.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.marksAll) return;
  for (const box of target.form.querySelectorAll(`input[type=checkbox][name="${target.dataset.marksAll}"]`)) {
    box.checked = target.checked;
  }
});

document.addEventListener('submit', (event) => {
  const question = event.submitter?.dataset.ask ?? event.target.dataset.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});
