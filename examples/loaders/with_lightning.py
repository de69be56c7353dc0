"""A LightningModule and a LightningDataModule of lines: python examples/loaders/with_lightning.py "folder/*.txt"."""

import sys
from typing import Any

import lightning
import torch
from model import Classifier, loss_of
from torch.utils.data import DataLoader

from torch_stringops import StringTensor
from torch_stringops.data import StreamingDataset


class Lines(lightning.LightningDataModule):
    def __init__(self, paths: str) -> None:
        super().__init__()
        self.dataset = StreamingDataset(paths, batch_size=25, shuffle=True)  # divides the rows among the ranks

    def train_dataloader(self) -> Any:
        self.dataset.set_epoch(self.trainer.current_epoch)
        return DataLoader(self.dataset, batch_size=None, num_workers=1)


class Model(lightning.LightningModule):
    def __init__(self, paths: str) -> None:
        super().__init__()
        self.classifier = Classifier(paths)

    def training_step(self, text: StringTensor) -> Any:
        loss = loss_of(self.classifier(text), text)
        self.log("loss", loss, batch_size=len(text), sync_dist=True)
        return loss

    def configure_optimizers(self) -> Any:
        return torch.optim.Adam(self.parameters(), 0.1)


def main(paths: str, **options: Any) -> float:
    lightning.seed_everything(0)
    options = {"accelerator": "cpu", "logger": False, "enable_checkpointing": False, **options}
    trainer = lightning.Trainer(max_epochs=2, reload_dataloaders_every_n_epochs=1, **options)
    trainer.fit(Model(paths), datamodule=Lines(paths))
    return float(trainer.callback_metrics["loss"])


if __name__ == "__main__":
    print(f"loss {main(sys.argv[1], devices=2, strategy='ddp'):.4f}")
