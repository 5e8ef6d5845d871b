-- The words of a company name, each as `fold_name` folds it, so that they are found in any order. The index of `business` stores its result,
-- so a change of it needs a reindex.
create or replace function name_words(name text) returns tsvector language plpgsql immutable strict parallel safe as $$
begin
  return array_to_tsvector(array(
    select public.fold_name(word) from regexp_split_to_table(name, '[\s,;/&.''’‘ʼ‐‑–—-]+') word where coalesce(public.fold_name(word), '') <> ''));
end $$;
