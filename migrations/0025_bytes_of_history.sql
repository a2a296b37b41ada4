-- History: how much an earlier version weighs, so that an item keeps so many bytes of them and no more.

ALTER TABLE item_version
  -- of the content as JSON
  ADD COLUMN bytes int NOT NULL GENERATED ALWAYS AS (octet_length(content::text)) STORED;
