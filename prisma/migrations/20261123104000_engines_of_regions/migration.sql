-- A region may have a container engine of its own.
ALTER TABLE "region" ADD COLUMN "engine" TEXT, ADD COLUMN "reach_address" TEXT;

-- What an engine holds is known of each engine.
ALTER TABLE "pulled_image" ADD COLUMN "engine_key" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "pulled_image_pkey",
  ADD CONSTRAINT "pulled_image_pkey" PRIMARY KEY ("account_id", "image_id", "engine_key");

-- The engine of a region does not change while volumes are there.
ALTER TABLE "volume" ADD CONSTRAINT "volume_region_code_fkey"
  FOREIGN KEY ("region_code") REFERENCES "region"("code") ON DELETE RESTRICT ON UPDATE CASCADE;
