-- The letter about a deleted account: nothing but its own row says to whom, and in which language.

-- the language of a letter about nobody any more, whose row goes when it is sent or given up
ALTER TABLE mail_job ADD COLUMN locale text;
